// Every view, light and dark: axe finds nothing serious, a picture is left; small
// windows, zoom and reduced motion; nothing is fetched from elsewhere.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { person } from './support/desk.mjs';
import { lineOf } from './support/demo.mjs';
import { until } from './support/processes.mjs';
import { dawn, dusk, results } from './support/places.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = join(results, 'pictures');
mkdirSync(pictures, { recursive: true });

async function serious(page) {
  if (!(await page.evaluate('typeof axe !== "undefined"'))) await page.evaluate(axe);
  const { violations } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) =>
      `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
}

const button = (name) => (desk) => desk.button(name).click();
const ready = {
  rows: (page) => page.locator('.grid-body [role=row] .number').first().waitFor(),
  canvas: (page) => page.locator('canvas').waitFor(),
  cards: (page) => page.getByRole('region', { name: 'Totals' }).waitFor(),
};
const line = lineOf('hoard');

async function details(desk) {
  const row = desk.page.getByRole('row').filter({ hasText: `monsters.cc:${line}` }).first();
  await row.dblclick();
  await desk.page.getByRole('region', { name: 'Stack' }).getByText(/^Stack of 0x/).waitFor();
}

/** name, where, what is waited for, what is done */
const VIEWS = [
  ['aggregate', '#of=2', ready.rows],
  ['aggregate-inverted', '#of=2&by=inverted', ready.rows],
  ['aggregate-details', '#of=2&by=line', ready.rows, details],
  ['call-tree', '#of=2&view=call-tree', ready.canvas],
  ['tree-map', '#of=2&view=tree-map&by=function', ready.canvas],
  ['summary', '#of=2&view=summary', ready.cards],
  ['compare', '#of=1..2', ready.rows],
  ['compare-inverted', '#of=1..2&by=inverted', ready.rows],
  ['compare-details', '#of=1..2&by=line', ready.rows, details],
  ['compare-call-tree', '#of=1..2&view=call-tree', ready.canvas],
  ['compare-tree-map', '#of=1..2&view=tree-map&by=function', ready.canvas],
  ['compare-summary', '#of=1..2&view=summary', ready.cards],
  ['no-match', '#of=2&filter=nothing+like+it', (page) => page.getByText(/^Nothing matches/).waitFor()],
  ['not-there', '#of=77', (page) => page.getByText(/not in the list/).waitFor()],
  ['picking', '#of=2', ready.rows, button('Compare')],
  ['import', '#of=2', ready.rows, button('Import')],
  ['save', '#of=2', ready.rows, button('Save dawn')],
  ['keys', '#of=2', ready.rows, (desk) => desk.page.keyboard.press('?')],
  ['options', '#of=2', ready.rows, button('Options')],
  ['source', '#of=2&by=line', ready.rows, async (desk) => {
    await desk.button(new RegExp(`monsters\\.cc:${line}$`)).first().click();
    await desk.page.getByRole('dialog').getByText('// site: hoard').waitFor();
  }],
  ['undo', '#of=2', ready.rows, button('Clear dusk')],
];

async function seeAll(desk, theme) {
  const { page } = desk;
  await desk.entryCount(2);
  const faults = {};
  for (const [name, hash, isReady, act] of VIEWS) {
    await page.goto('about:blank');
    await page.goto(`${desk.view.base}${hash}`);
    await isReady(page);
    if (act) await act(desk);
    await page.waitForTimeout(120);
    assert.equal(await page.locator('html').getAttribute('data-theme'), theme);
    const found = await serious(page);
    if (found.length > 0) faults[name] = found;
    await page.screenshot({ path: join(pictures, `${name}-${theme}.png`) });
  }
  assert.deepEqual(faults, {});
}

const setting = (colorScheme) => ({ words: [dusk, dawn], demo: true, page: { colorScheme } });
person('sees every view in light colours', setting('light'), (desk) => seeAll(desk, 'light'));
person('sees every view in dark colours', setting('dark'), (desk) => seeAll(desk, 'dark'));

person('changes the colours by hand, and they stay', setting('light'), async (desk) => {
  const theme = () => desk.page.locator('html').getAttribute('data-theme');
  await desk.button('Dark colours').click();
  await until('dark', async () => (await theme()) === 'dark');
  await desk.page.reload();
  await until('dark again', async () => (await theme()) === 'dark');
  await desk.button('Light colours').click();
  await until('light', async () => (await theme()) === 'light');
});

person('starts with no process and no file', {}, async (desk) => {
  await desk.sees('No snapshots yet.');
  assert.deepEqual(await serious(desk.page), []);
  await desk.page.screenshot({ path: join(pictures, 'empty-light.png') });
});

/** What juts out of the window sideways, and cannot be scrolled to within its own box. */
const jutting = (page) => page.evaluate(() => {
  const out = document.documentElement.scrollWidth - innerWidth;
  const covered = [...document.querySelectorAll('button, select, input, [role=tab]')]
    .filter((element) => element.checkVisibility() && !element.closest('[role=treegrid]'))
    .filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return right > innerWidth + 1 || left < -1;
    })
    .map((element) => element.getAttribute('aria-label') ?? element.textContent);
  return { out: Math.max(0, out), covered };
});

async function fits(desk, name) {
  const { page } = desk;
  await desk.entryCount(2);
  for (const [view, hash, isReady] of VIEWS.filter(([, , , act]) => !act)) {
    await page.goto('about:blank');
    await page.goto(`${desk.view.base}${hash}`);
    await isReady(page);
    assert.deepEqual(await jutting(page), { out: 0, covered: [] }, view);
    if (['aggregate', 'compare', 'summary'].includes(view))
      await page.screenshot({ path: join(pictures, `${view}-${name}.png`) });
  }
  await page.goto(`${desk.view.base}#of=2&by=function`);
  const row = page.getByRole('row').filter({ hasText: 'HatchDragons' }).first();
  await row.scrollIntoViewIfNeeded();
  await row.click();
  for (const name of ['Take snapshot', 'Import', 'Compare']) {
    await desk.button(name).scrollIntoViewIfNeeded();
    assert.ok(await desk.button(name).isVisible(), name);
  }
}

person('works in a window of 800 pixels', {
  words: [dusk, dawn], demo: true, page: { viewport: { width: 800, height: 600 } },
}, (desk) => fits(desk, '800px'));

// A zoom of 200 % halves the window in CSS pixels and doubles what a pixel is.
person('works at a zoom of 200 %', {
  words: [dusk, dawn], demo: true,
  page: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
}, (desk) => fits(desk, 'zoom'));

person('keeps still when motion is to be reduced', {
  words: [dusk, dawn], page: { reducedMotion: 'reduce' }, hash: '#of=2',
}, async (desk) => {
  await ready.rows(desk.page);
  await desk.button('Compare').click();
  const moving = await desk.page.evaluate(() => document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().duration > 10).length);
  assert.equal(moving, 0);
});

person('is one page that needs nothing from elsewhere', { words: [dusk] }, async (desk) => {
  const { policy } = desk.watched;
  for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'",
    "base-uri 'none'", "form-action 'none'"])
    assert.ok(policy.includes(part), `${part} in ${policy}`);
  assert.doesNotMatch(policy, /unsafe-(inline|eval)|https?:|\*/);
  const asked = [];
  desk.page.on('request', (request) => asked.push(request.url()));
  await desk.page.reload();
  await desk.entryCount(1);
  const others = asked.filter((url) => !url.startsWith(`${desk.view.base}api/`) &&
    !url.startsWith('data:') && url.replace(/#.*/, '') !== desk.view.base);
  assert.deepEqual(others, []);
});
