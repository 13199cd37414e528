// The table of a snapshot: the demo's numbers by every grouping, filter, unit and
// series; a row's blocks, their stacks and their source.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { person } from './support/desk.mjs';
import { atDawn, everAtDawn, lineOf, measure, sum } from './support/demo.mjs';
import { askTool, until } from './support/processes.mjs';
import { dawn, demoSource } from './support/places.mjs';
import { Table } from './support/table.mjs';
import { blocks, bytes, count } from './support/words.mjs';

const truth = await askTool('report', dawn);
const whole = Object.values(truth.totals.current);
const hatch = sum(atDawn.monster, atDawn.name);
const setting = {
  words: [dawn],
  page: { permissions: ['clipboard-read', 'clipboard-write'] },
};

const NAMES = {
  function: 'Function', file: 'File', line: 'Line', module: 'Module', 'size-class': 'Size class',
  inverted: 'Function, from the allocation out', stack: 'Function, from the outermost in',
};

async function group(desk, by) {
  await desk.choice('by').selectOption(by);
  const table = new Table(desk.page);
  // The old rows stay under their own titles until the new ones are there.
  await until(`grouped by ${by}`, async () => (await table.titles()).includes(NAMES[by]));
  return table;
}

/** [blocks, usable] of a row: allocated in itself. */
const own = (table, row) => table.pair(row, 'Count', 'Bytes');
const below = (table, row) => table.pair(row, 'Total count', 'Total bytes');
const twoOf = ([number, , usable]) => [number, usable];

person('sees the demo by call stack and opens it down to the hoards', setting, async (desk) => {
  const table = new Table(desk.page);
  const start = table.row('_start').first();
  await start.waitFor();
  const inMain = sum(...Object.values(atDawn), measure('hoard', 1));  // and stdio's buffer
  assert.deepEqual(await below(table, start), twoOf(inMain));
  await table.open(start);
  const night = table.row('monsters::Night').filter({ hasText: 'monsters.cc:126' });
  const main = table.row('main').filter({ hasText: 'monsters.cc:143' });
  await main.waitFor();
  if (!(await night.count())) await table.open(main);
  await night.waitFor();
  await table.open(night);
  const hoards = table.row('HatchDragons').filter({ hasText: `monsters.cc:${lineOf('hoard')}` });
  await hoards.waitFor();
  assert.deepEqual(await own(table, hoards), twoOf(measure('hoard', 25)));
});

person('sees the demo by each other grouping', setting, async (desk) => {
  let table = await group(desk, 'function');
  const hatching = table.row(/Registry::Hatch\(/);
  await hatching.first().waitFor();
  assert.deepEqual(await own(table, hatching), twoOf(hatch));
  assert.equal(await table.text(hatching, 'Bytes'), bytes(hatch[2]));
  assert.equal(await table.text(hatching, 'Count'), count(hatch[0]));
  assert.equal(await table.percent(hatching, 'Bytes'),
    `${Math.round((100 * hatch[2]) / whole[2])}%`);
  assert.deepEqual(await own(table, table.row('HatchDragons')), twoOf(atDawn.hoard));

  table = await group(desk, 'line');
  for (const site of ['monster', 'name', 'hoard', 'ledger']) {
    const row = table.row(new RegExp(`monsters\\.cc:${lineOf(site)}(?!\\d)`));
    await row.first().waitFor();
    assert.deepEqual(await own(table, row), twoOf(atDawn[site]), site);
  }

  table = await group(desk, 'file');
  await table.row('demo/monsters.cc').first().waitFor();
  const all = twoOf(sum(...Object.values(atDawn)));
  assert.deepEqual(await own(table, table.row('demo/monsters.cc')), all);

  table = await group(desk, 'module');
  const module = table.row(/^(?!.*lib).*monsters/);
  await module.first().waitFor();
  assert.deepEqual(await own(table, module), all);

  table = await group(desk, 'size-class');
  const ofSize = (words) =>
    table.grid.getByRole('row').filter({ has: desk.page.locator('.function', { hasText: words }) });
  const names = ofSize(/^48 B$/);
  await names.first().waitFor();
  assert.deepEqual(await own(table, names), twoOf(atDawn.name));
  assert.deepEqual((await table.titles()).slice(0, 4), ['Bytes', 'Count', 'Total bytes', 'Total count']);
  assert.equal((await table.titles()).length, 5);
  assert.equal(await desk.choice('what is held').count(), 0);
  assert.deepEqual(await own(table, ofSize(/^64 B$/)), twoOf(atDawn.monster));

  table = await group(desk, 'inverted');
  const site = table.row('HatchDragons').filter({ hasText: `monsters.cc:${lineOf('hoard')}` });
  await site.first().waitFor();
  assert.deepEqual(await own(table, site), twoOf(atDawn.hoard));
});

person('chooses units and times', { ...setting, hash: '#of=1&by=line' }, async (desk) => {
  const { page } = desk;
  const table = new Table(page);
  const row = (site) => table.row(new RegExp(`monsters\\.cc:${lineOf(site)}(?!\\d)`));
  await row('name').first().waitFor();
  await desk.choice('in').selectOption('requested');
  await until('requested bytes', async () =>
    (await table.exact(row('name'), 'Bytes')) === atDawn.name[1]);
  await desk.choice('what is held').selectOption('ever');
  await until('ever', async () =>
    (await table.exact(row('footprint'), 'Bytes').catch(() => 0)) === everAtDawn.footprint[1]);
  assert.equal(await table.exact(row('footprint'), 'Count'), everAtDawn.footprint[0]);
  assert.equal(await table.exact(row('monster'), 'Count'), everAtDawn.monster[0]);
  await desk.choice('in').selectOption('usable');
  await until('usable', async () =>
    (await table.exact(row('footprint'), 'Ever')) === everAtDawn.footprint[2]);
  await desk.choice('what is held').selectOption('at_peak');
  await until('one footprint at the peak', async () =>
    (await table.exact(row('footprint'), 'Count').catch(() => 0)) === 1);
});

person('filters by text, by regular expression, and leaves out', setting, async (desk) => {
  const { page } = desk;
  const filter = page.getByRole('searchbox', { name: 'Filter', exact: true });
  const exclude = page.getByRole('searchbox', { name: 'Exclude', exact: true });
  const regex = desk.button('Regular expression');
  const foot = (matched, out) => until(`${matched} and ${out} left out`, async () => {
    const text = await page.locator('footer').textContent();
    return text.includes(blocks(matched[0])) && text.includes(bytes(matched[2])) &&
      (out === null || text.includes(bytes(out)));
  });
  await foot(whole, null);
  await page.locator('body').press('/');
  await filter.fill('hatch');
  const hatched = sum(hatch, atDawn.hoard);
  await foot(hatched, whole[2] - hatched[2]);

  await filter.fill('Registry::Hatch\\(');
  await regex.click();
  assert.equal(await regex.getAttribute('aria-pressed'), 'true');
  await foot(hatch, whole[2] - hatch[2]);

  await filter.fill('');
  await exclude.fill('HatchDragons');
  const living = atDawn.hoard[0] - 5;
  const dragons = sum(atDawn.hoard, measure('monster', living), measure('name', living));
  await foot(whole.map((value, at) => value - dragons[at]), dragons[2]);

  await exclude.fill('');
  await filter.fill('no such function');
  await desk.sees('Nothing matches the filter “no such function”.');
  await desk.button('Clear the filter').click();
  await foot(whole, null);
});

person('says what is wrong with a regular expression', {
  ...setting, page: { expected: [/status of 400/] },
}, async (desk) => {
  await desk.button('Regular expression').click();
  await desk.page.getByRole('searchbox', { name: 'Filter', exact: true }).fill('Hatch(');
  await desk.page.getByText(/not a regular expression|no regular expression/i).first().waitFor();
});

person('pages through the blocks of a row', { ...setting, hash: '#of=1&by=line' }, async (desk) => {
  const { page } = desk;
  const table = new Table(page);
  const row = table.row(new RegExp(`monsters\\.cc:${lineOf('monster')}(?!\\d)`)).first();
  await row.waitFor();
  await row.hover();
  await row.getByRole('button', { name: 'blocks' }).click();
  const details = page.getByRole('region', { name: 'Details of the row' });
  const [number] = atDawn.monster;
  const seen = new Set();
  const ages = {};
  for (let from = 1; from <= number; from += 200) {
    const to = Math.min(number, from + 199);
    await details.getByText(`${count(from)}–${count(to)} of ${count(number)} blocks`).waitFor();
    const rows = await details.locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, to - from + 1);
    for (const text of rows) {
      const [address, requested, usable, age] = text.split(/\t|\n/).map((part) => part.trim());
      assert.deepEqual([requested, usable], ['64 B', '64 B']);
      seen.add(address);
      ages[age] = (ages[age] ?? 0) + 1;
    }
    if (to < number) await desk.button('Next', details).click();
  }
  assert.equal(seen.size, number);
  // Those of dusk that still live, and those that hatched at night.
  assert.deepEqual(Object.values(ages).sort(), [525, 805]);
  assert.equal(await desk.button('Next', details).isDisabled(), true);
  await details.getByRole('button', { name: /^Age/ }).click();
  await until('the oldest first', async () =>
    (await details.locator('tbody tr').first().innerText()).split(/\t|\n/)[3].trim() ===
      String(Math.max(...Object.keys(ages).map(Number))));
});

person('reads and copies the stack of a block, and its source', {
  ...setting, hash: '#of=1&by=line',
}, async (desk) => {
  const { page } = desk;
  const table = new Table(page);
  const row = table.row(new RegExp(`monsters\\.cc:${lineOf('hoard')}(?!\\d)`)).first();
  await row.waitFor();
  await row.dblclick();
  const stack = page.getByRole('region', { name: 'Stack' });
  await stack.getByText(/^Stack of 0x/).waitFor();
  const frames = await until('frames', async () => {
    const all = await stack.getByRole('listitem').allTextContents();
    return all.length > 2 && all;
  });
  assert.match(frames[0], /HatchDragons.*monsters\.cc:55/);
  assert.match(frames.at(-1), /_start/);
  await desk.button('Copy stack').click();
  await desk.sees('Copied the stack.');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const lines = copied.trim().split('\n');
  assert.equal(lines.length, frames.length);
  assert.match(lines[0], /monsters::Registry::HatchDragons\(int\).*integration\/demo\/monsters\.cc:55/);

  await stack.getByRole('button', { name: 'monsters.cc:55' }).click();
  const source = page.getByRole('dialog');
  const line = readFileSync(demoSource, 'utf8').split('\n')[lineOf('hoard') - 1].trim();
  await source.getByText(line).waitFor();
  await page.keyboard.press('Escape');
  await source.waitFor({ state: 'detached' });
});

person('learns how to have the source shown when it is not there', {
  ...setting, words: [dawn, '--sources', '/usr/share'], hash: '#of=1&by=line',
}, async (desk) => {
  const table = new Table(desk.page);
  const row = table.row(new RegExp(`monsters\\.cc:${lineOf('hoard')}(?!\\d)`)).first();
  await row.getByRole('button', { name: /monsters\.cc/ }).click();
  await desk.page.getByRole('dialog').getByText(/--sources|--source-map/).first().waitFor();
});
