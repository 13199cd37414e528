// Flame graph, tree map and summary, of a snapshot and of a comparison.
import assert from 'node:assert/strict';
import { person } from './support/desk.mjs';
import { atDawn, changes, lineOf, measure, overnight, sum } from './support/demo.mjs';
import { askTool, until } from './support/processes.mjs';
import { dawn, dusk } from './support/places.mjs';
import { bytes, count, exact, signed } from './support/words.mjs';

const truth = await askTool('report', dawn);
const whole = truth.totals.current;
const setting = { words: [dusk, dawn] };
const words = (desk) => desk.page.locator('#drawing-words');

/** The paths of all nodes of a tree for which `fits` holds. */
function pathsOf(node, fits, path = []) {
  const below = (node.c ?? []).flatMap((child) => pathsOf(child, fits, [...path, child.key]));
  return path.length > 0 && fits(node) ? [path.join('.'), ...below] : below;
}

/** How many colours are in the picture: a blank one has one or none. */
function colours(page) {
  return page.locator('canvas').evaluate((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height)
      .getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 0) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size;
  });
}

const isHoard = (node) =>
  node.name.includes('HatchDragons') && node.line === lineOf('hoard');

async function show(desk, hash) {
  await desk.page.goto(`${desk.view.base}${hash}`);
  await desk.page.locator('canvas').waitFor();
  await until('a picture', async () => (await colours(desk.page)) > 3);
}

person('reads the flame graph, marks frames and zooms', setting, async (desk) => {
  const { page } = desk;
  const { root } = await desk.view.ask('tree?of=2&by=stack&unit=usable&series=current');
  const dragons = (node) => /hatchdragons/i.test(node.name);
  const frames = pathsOf(root, dragons).length;
  await show(desk, '#of=2&view=call-tree');
  assert.equal(await desk.tab('Call tree').getAttribute('aria-selected'), 'true');
  await page.getByRole('searchbox', { name: 'Mark frames' }).fill('hatchdragons');
  const living = atDawn.hoard[0] - 5;
  const [, , weight] = sum(atDawn.hoard, measure('monster', living), measure('name', living));
  const share = `${Math.round((100 * weight) / whole.usable)}%`;
  await desk.sees(`${count(frames)} frames, ${bytes(weight)}, ${share}`);
  await page.getByRole('searchbox', { name: 'Mark frames' }).fill('');

  const [night] = pathsOf(root, (node) => node.name.includes('monsters::Night') && node.line === 126);
  await show(desk, `#of=2&view=call-tree&at=${night}`);
  const there = sum(measure('hoard', 25), measure('monster', 25), measure('name', 25));
  await until('the words', async () =>
    (await words(desk).textContent()).includes(`: ${bytes(there[2])}, `));
  assert.match(await words(desk).textContent(), new RegExp(`${exact(there[2])} usable\\.$`));
  await page.getByRole('application').focus();
  await page.keyboard.press('Enter');
  await until('zoomed', () => page.url().includes(`zoom=${night}`));
  assert.ok((await colours(page)) > 1);
  await desk.button('Reset zoom').click();
  await until('all of it', () => !page.url().includes('zoom='));

  await desk.button('Inverted').click();
  await page.getByRole('application', { name: /^Flame graph, inverted/ }).waitFor();
  await until('drawn', async () => (await colours(page)) > 3);
});

person('clicks into the flame graph', { ...setting, hash: '#of=2&view=call-tree' }, async (desk) => {
  const { page } = desk;
  const canvas = page.locator('canvas');
  await canvas.waitFor();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 60, box.y + 30);
  await page.locator('.tip').waitFor();
  assert.match(await page.locator('.tip').textContent(), /_start|_dl_start_user/);
  await canvas.click({ position: { x: 60, y: 30 } });
  await until('zoomed', () => page.url().includes('zoom='));
  await page.goBack();
  await until('back', () => !page.url().includes('zoom='));
});

person('sees growth in the flame graph of a comparison', setting, async (desk) => {
  const { root } = await desk.view.ask('tree?of=1..2&by=stack&unit=usable');
  const [path] = pathsOf(root, (node) => isHoard(node) && node.added > 0);
  await show(desk, `#of=1..2&view=call-tree&at=${path}`);
  const added = bytes(overnight.added.hoard[2]);
  await until('the words', async () => (await words(desk).textContent())
    .endsWith(`: grew by ${added} (${added} new, 0 B freed, 0 B survived)`));
  await desk.sees(/Orange grew, blue shrank/);
});

person('reads the tree map by module, file, function and call tree', setting, async (desk) => {
  for (const by of ['module', 'file', 'function', 'stack']) {
    const { root } = await desk.view.ask(`tree?of=2&by=${by}&unit=usable&series=current`);
    const fits = {
      module: (node) => node.name === 'monsters',
      file: (node) => node.name.endsWith('demo/monsters.cc'),
      function: (node) => /Registry::Hatch\(/.test(node.name),
      stack: (node) => node.name.includes('monsters::Night') && node.line === 126,
    }[by];
    const [path] = pathsOf(root, fits);
    await show(desk, `#of=2&view=tree-map&by=${by}&at=${path}`);
    assert.equal(await desk.choice('by').inputValue(), by);
    const all = sum(...Object.values(atDawn));
    const want = {
      module: all, file: all, function: sum(atDawn.monster, atDawn.name),
      stack: sum(measure('hoard', 25), measure('monster', 25), measure('name', 25)),
    }[by];
    await until(`the words by ${by}`, async () =>
      (await words(desk).textContent()).includes(exact(want[2])));
  }
});

person('filters the tree map, zooms into it, and compares in it', setting, async (desk) => {
  const { page } = desk;
  await show(desk, '#of=2&view=tree-map&by=module&filter=HatchDragons');
  const living = atDawn.hoard[0] - 5;
  const [, , weight] = sum(atDawn.hoard, measure('monster', living), measure('name', living));
  await until('the foot', async () =>
    (await page.locator('footer').textContent()).includes(bytes(weight)));
  const canvas = page.locator('canvas');
  const box = await canvas.boundingBox();
  await canvas.click({ position: { x: box.width / 2, y: box.height / 2 } });
  await until('zoomed', () => page.url().includes('zoom='));
  await page.getByRole('navigation', { name: 'Zoomed to' })
    .getByRole('button', { name: 'everything' }).click();
  await until('all of it', () => !page.url().includes('zoom='));

  const { root } = await desk.view.ask('tree?of=1..2&by=function&unit=usable');
  const [path] = pathsOf(root, (node) => node.name.includes('HatchDragons'));
  await show(desk, `#of=1..2&view=tree-map&by=function&at=${path}`);
  const [added] = [overnight.added.hoard, atDawn.hoard].map((one) => bytes(one[2]));
  await until('the words', async () =>
    (await words(desk).textContent()).includes(`grew by ${added}`));
});

const card = (desk, name) => desk.page.getByRole('region', { name, exact: true });
const cells = (desk, name, row) =>
  card(desk, name).getByRole('row').filter({ hasText: row }).first().getByRole('cell')
    .allTextContents();

person('reads the summary of a snapshot', { ...setting, hash: '#of=2&view=summary' }, async (desk) => {
  await card(desk, 'Totals').waitFor();
  for (const [row, { usable, requested, blocks }] of [
    ['Now', whole], ['At peak', truth.totals.peak], ['Ever', truth.totals.ever]])
    assert.deepEqual(await cells(desk, 'Totals', row), [bytes(usable), bytes(requested), count(blocks)]);
  await card(desk, 'The books balance').waitFor();
  const top = await cells(desk, 'Largest now', `monsters.cc:${lineOf('hoard')}`);
  const [hoards, , hoardBytes] = atDawn.hoard;
  assert.equal(top[0], bytes(hoardBytes));
  assert.equal(top[2], count(hoards));
  await card(desk, 'What the peak was made of').waitFor();
  assert.deepEqual((await cells(desk, 'Sizes', /^48 B/)).slice(1, 3),
    [count(atDawn.name[0]), bytes(atDawn.name[2])]);
  assert.deepEqual((await cells(desk, 'Sizes', /^64 B/)).slice(1, 3),
    [count(atDawn.monster[0]), bytes(atDawn.monster[2])]);
  assert.match(await card(desk, 'Which blocks have a stack').textContent(), /100%/);
  assert.match(await card(desk, 'What heaptally cost').textContent(), /stopped the program for/);
  if (truth.missing_names > 0)
    await card(desk, 'Modules without debug information').waitFor();
});

person('reads the summary of a comparison', {
  ...setting, hash: '#of=1..2&view=summary',
}, async (desk) => {
  await card(desk, 'Totals').waitFor();
  const row = ([number, requested, usable], sign = (value, format) => format(value)) =>
    [sign(usable, bytes), sign(requested, bytes), sign(number, count)];
  assert.deepEqual(await cells(desk, 'Totals', 'New'), row(changes.added));
  assert.deepEqual(await cells(desk, 'Totals', 'Freed'), row(changes.freed));
  assert.deepEqual(await cells(desk, 'Totals', 'Net'), row(changes.net, signed));
  const [number, , usable] = overnight.net.hoard;
  const [first] = await card(desk, 'Grew most').getByRole('row').nth(1).getByRole('cell')
    .allTextContents();
  assert.equal(first, signed(usable, bytes));
  const grown = await cells(desk, 'Grew most', `monsters.cc:${lineOf('hoard')}`);
  assert.deepEqual(grown.slice(0, 3), [signed(usable, bytes), 'grew', signed(number, count)]);
});
