// Comparing the demo at dusk with the demo at dawn: picking, numbers, swapping.
import assert from 'node:assert/strict';
import { person } from './support/desk.mjs';
import { atDawn, atDusk, changes, lineOf, measure, overnight } from './support/demo.mjs';
import { askTool, startMonsters, toDawn, until } from './support/processes.mjs';
import { dawn, dusk } from './support/places.mjs';
import { Table } from './support/table.mjs';
import { blocks, bytes, signed } from './support/words.mjs';

const truth = (await askTool('compare', dusk, dawn)).totals;
const setting = { words: [dusk, dawn] };
const pick = (desk, name, role) => desk.button(new RegExp(`^Pick ${name}\\b.* as the ${role}$`));

/** Baseline, then comparison, as they are asked for. */
export async function compare(desk, baseline, comparison) {
  await desk.entryCount(2);
  await desk.button('Compare').click();
  await desk.sees('Pick the baseline.');
  await pick(desk, baseline, 'baseline').click();
  await desk.sees('Now pick what to compare with it.');
  await pick(desk, comparison, 'comparison').click();
  const table = new Table(desk.page);
  await until('the comparison is there', async () => (await table.titles()).includes('Net bytes'));
  return table;
}

async function checkSites(table, sides) {
  for (const [title, series] of [['Net', 'net'], ['New', sides.added], ['Freed', sides.freed]]) {
    for (const site of ['monster', 'name', 'hoard']) {
      const row = table.row(new RegExp(`monsters\\.cc:${lineOf(site)}(?!\\d)`));
      const want = overnight[series][site] ?? [0, 0, 0];
      const sign = title === 'Net' ? sides.sign : 1;
      assert.deepEqual(await table.pair(row, `${title} blocks`, `${title} bytes`),
        [sign * want[0], sign * want[2]], `${title} of ${site}`);
    }
  }
}

person('compares dusk with dawn, then swaps the two', setting, async (desk) => {
  const { page } = desk;
  assert.deepEqual([truth.net.blocks, truth.net.requested, truth.net.usable], changes.net);
  const table = await compare(desk, 'dusk', 'dawn');
  const [number, , usable] = changes.net;
  await desk.sees(new RegExp(`${signed(usable, bytes).replace('+', '\\+')}`));
  await desk.sees(/block address and birth epoch/);
  await until('the sentence', async () => {
    const text = await page.getByRole('main').textContent();
    return text.includes(blocks(number)) && text.includes('HatchDragons') &&
      text.includes(`monsters.cc:${lineOf('hoard')}`);
  });
  await page.getByRole('combobox', { name: 'by', exact: true }).selectOption('line');
  const hoard = table.row(new RegExp(`monsters\\.cc:${lineOf('hoard')}(?!\\d)`)).first();
  await hoard.waitFor();
  await checkSites(table, { added: 'added', freed: 'freed', sign: 1 });
  const [living] = measure('hoard', 10);
  assert.equal(await table.exact(hoard, 'Survived blocks'), living);
  const net = await table.cell(hoard, 'Net bytes');
  assert.match(await net.getAttribute('title'), /\(grew\)/);
  assert.match(await net.textContent(), /^\+/);
  // What grew most comes first.
  const rows = await table.grid.locator('.grid-body [role=row]').allTextContents();
  assert.match(rows[0], new RegExp(`monsters\\.cc:${lineOf('hoard')}`));

  await desk.button(/^Swap/).click();
  await until('swapped', () => page.url().includes('of=2..1'));
  await until('it shrank', async () =>
    (await (await table.cell(hoard, 'Net bytes')).getAttribute('title')).includes('(shrank)'));
  await checkSites(table, { added: 'freed', freed: 'added', sign: -1 });
});

person('lists the blocks that are new, freed and survived', {
  ...setting, hash: '#of=1..2&by=line',
}, async (desk) => {
  const table = new Table(desk.page);
  const row = table.row(new RegExp(`monsters\\.cc:${lineOf('hoard')}(?!\\d)`)).first();
  await row.waitFor();
  await row.dblclick();
  const details = desk.page.getByRole('region', { name: 'Details of the row' });
  await details.getByText('1–35 of 35 blocks').waitFor();
  const kinds = (await details.locator('tbody tr').allInnerTexts())
    .map((text) => text.trim().split(/\s+/).at(-1));
  assert.equal(kinds.filter((kind) => kind === 'new').length, overnight.added.hoard[0]);
  assert.equal(kinds.filter((kind) => kind === 'survived').length, 10);
});

person('changes the pair by comparing anew, and stops asking with Cancel', setting, async (desk) => {
  await desk.entryCount(2);
  await desk.button('Compare').click();
  await desk.page.getByRole('status').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await desk.page.getByText('Pick the baseline.').count(), 0);
  await compare(desk, 'dawn', 'dusk');
  assert.match(desk.page.url(), /of=2\.\.1/);
});

person('compares two processes, and sees the stacks of either', {
  demo: true, words: [dusk],
}, async (desk) => {
  const { page } = desk;
  const other = await desk.with(startMonsters(desk.folder));
  await toDawn(other);
  await until('both run', async () => (await desk.state()).processes.length === 2);
  for (const [at, { pid }] of [desk.demo, other].entries()) {
    await desk.view.ask('take', { pid });
    await desk.entryCount(at + 2);
  }
  await page.goto(`${desk.view.base}#of=2..3&by=line`);
  await page.reload();
  const table = new Table(page);
  const hoard = table.row(new RegExp(`monsters\\.cc:${lineOf('hoard')}(?!\\d)`)).first();
  await hoard.waitFor();
  assert.deepEqual(await table.pair(hoard, 'Net blocks', 'Net bytes'),
    [overnight.net.hoard[0], overnight.net.hoard[2]]);
  await hoard.dblclick();
  const details = page.getByRole('region', { name: 'Details of the row' });
  const lists = details.locator('tbody tr');
  await lists.first().waitFor();
  const sides = (await lists.allInnerTexts()).map((text) => text.trim().split('\t').at(-1));
  const [before, after] = ['in baseline', 'in comparison'].map(
    (words) => sides.filter((side) => side === words).length);
  assert.deepEqual([before, after], [atDusk.hoard[0], atDawn.hoard[0]]);
  for (const words of ['in baseline', 'in comparison']) {
    await lists.filter({ hasText: words }).first().click();
    await details.getByRole('region', { name: 'Stack' }).getByText(/HatchDragons|main/).first()
      .waitFor();
  }
});

person('opens on what shrank most when the whole shrank', {
  ...setting, hash: '#of=2..1&by=line',
}, async (desk) => {
  const table = new Table(desk.page);
  const first = table.grid.locator('.grid-body [role=row]').first();
  await until('what shrank most', async () =>
    new RegExp(`monsters\\.cc:${lineOf('hoard')}`).test(await first.textContent()));
  const heads = desk.page.getByRole('columnheader', { name: 'Net bytes' });
  assert.equal(await heads.getAttribute('aria-sort'), 'ascending');
});
