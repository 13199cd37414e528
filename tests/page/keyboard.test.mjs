// Without a mouse: everything is reached, focus is seen, keys do what they say.
import assert from 'node:assert/strict';
import { person } from './support/desk.mjs';
import { toDawn, until } from './support/processes.mjs';
import { dawn, dusk } from './support/places.mjs';
import { Table } from './support/table.mjs';

/** What has the focus: its role or tag, its name, and whether it is seen. */
const focused = (page) => page.evaluate(() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  return {
    tag: element.getAttribute('role') ?? element.tagName.toLowerCase(),
    name: element.getAttribute('aria-label') ?? element.title ?? element.textContent,
    text: element.textContent,
    seen: element === document.body ||
      (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) ||
      style.boxShadow !== 'none' ||
      // The radio itself is hidden: what stands for it is marked.
      (element.type === 'radio' && getComputedStyle(element.nextElementSibling).outlineStyle !== 'none') ||
      (element.classList.contains('choose') &&
        getComputedStyle(element.closest('.entry')).outlineStyle !== 'none'),
  };
});

async function tabTo(page, fits, what) {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (fits(at)) return at;
  }
  throw new Error(`Tab never reaches ${what}`);
}

person('takes, names, compares and reads the difference by keys alone', { demo: true },
  async (desk) => {
    const { page } = desk;
    await desk.sees('No snapshots yet.');
    await page.keyboard.press('s');
    await desk.entryCount(1);
    await toDawn(desk.demo);
    await page.keyboard.press('s');
    await desk.entryCount(2);
    await until('the second is shown', () => page.url().includes('of=2'));
    await tabTo(page, (at) => at.name.startsWith('Name: '), 'the name');
    await page.keyboard.press('Enter');
    await until('the field', async () => (await focused(page)).tag === 'input');
    await page.keyboard.type('dawn');
    await page.keyboard.press('Enter');
    await until('the name', async () => (await desk.state()).entries[1].name === 'dawn');

    await page.keyboard.press('c');
    await desk.sees('Pick the baseline.');
    await tabTo(page, (at) => / as the baseline$/.test(at.name), 'a baseline');
    await page.keyboard.press('Enter');
    await desk.sees('Now pick what to compare with it.');
    await tabTo(page, (at) => / as the comparison$/.test(at.name), 'a comparison');
    await page.keyboard.press('Enter');
    await until('compared', () => page.url().includes('of=1..2'));
    const table = new Table(page);
    await until('titles', async () => (await table.titles()).includes('Net bytes'));

    await tabTo(page, (at) => at.tag === 'treegrid', 'the table');
    const rows = () => table.grid.getAttribute('aria-rowcount');
    const active = async () => {
      const id = await table.grid.getAttribute('aria-activedescendant');
      return page.locator(`#${id}`);
    };
    await page.keyboard.press('Home');
    await until('a row is active', async () => table.grid.getAttribute('aria-activedescendant'));
    for (let i = 0; i < 30 && (await (await active()).getAttribute('aria-expanded')) !== 'false'; i++)
      await page.keyboard.press('ArrowDown');
    assert.equal(await (await active()).getAttribute('aria-expanded'), 'false');
    const closed = await rows();
    await page.keyboard.press('ArrowRight');
    await until('it opens', async () => (await rows()) !== closed);
    await page.keyboard.press('ArrowLeft');
    await until('it closes', async () => (await rows()) === closed);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Details of the row' }).waitFor();

    for (const [key, name] of [['2', 'Call tree'], ['3', 'Tree map'], ['4', 'Summary'], ['1', 'Aggregate']]) {
      await page.keyboard.press(key);
      await until(name, async () => (await desk.tab(name).getAttribute('aria-selected')) === 'true');
    }
    await page.keyboard.press('/');
    await page.keyboard.type('dragons');
    await until('filtered', () => page.url().includes('filter=dragons'));
    await page.keyboard.press('Escape');
    await until('not filtered', () => !page.url().includes('filter='));
  });

person('clears with Delete and undoes it, reads the keys, goes round with Tab', {
  words: [dusk, dawn],
}, async (desk) => {
  const { page } = desk;
  await desk.entryCount(2);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tabTo(page, (at) => at.name === 'Show dusk', 'the first snapshot');
  await page.keyboard.press('Delete');
  await desk.entryCount(1);
  await tabTo(page, (at) => /^Undo/.test(at.text), 'Undo');
  await page.keyboard.press('Enter');
  await desk.entryCount(2);

  // Once round: each stop is seen, and the way leads out again.
  const stops = [];
  const unseen = [];
  await page.evaluate(() => document.activeElement.blur());
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (at.tag === 'body' || (stops.length > 0 && JSON.stringify(at) === JSON.stringify(stops[0])))
      break;
    stops.push(at);
    if (!at.seen) unseen.push(`${at.tag} ${at.name}`);
  }
  assert.ok(stops.length > 10 && stops.length < 80, `${stops.length} stops`);
  assert.deepEqual(unseen, []);
});
