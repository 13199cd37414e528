// The address holds the state: back, reload, and the link in a second page.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { person } from './support/desk.mjs';
import { until } from './support/processes.mjs';
import { dawn, dusk } from './support/places.mjs';
import { Table } from './support/table.mjs';

const setting = { words: [dusk, dawn] };

/** What is seen, as far as the address is to hold it. */
async function seen(page) {
  const table = new Table(page);
  await table.grid.locator('.grid-body [role=row]').first().waitFor();
  return {
    titles: await table.titles(),
    names: await table.names(),
    by: await page.getByRole('combobox', { name: 'by', exact: true }).inputValue(),
    filter: await page.getByRole('searchbox', { name: 'Filter', exact: true }).inputValue(),
    current: await page.locator('[aria-current=true]').getAttribute('aria-label')
      .catch(() => null),
  };
}

person('reloads, goes back, and opens the link in a second page', setting, async (desk) => {
  const { page } = desk;
  await desk.entryCount(2);
  await desk.button(/^Show dawn/).click();
  await until('dawn is shown', () => page.url().includes('of=2'));
  const before = await seen(page);
  await page.getByRole('combobox', { name: 'by', exact: true }).selectOption('function');
  await page.getByRole('searchbox', { name: 'Filter', exact: true }).fill('Hatch');
  await until('the filter is in the address', () => page.url().includes('filter=Hatch'));
  const table = new Table(page);
  await until('filtered', async () => (await table.names()).every((name) => !/_dl_init/.test(name)) &&
    (await table.names()).length > 0);
  const address = page.url();
  const after = await seen(page);
  assert.notDeepEqual(after.names, before.names);

  await page.reload();
  assert.deepEqual(await seen(page), after);
  const other = await desk.watched.another(address);
  assert.deepEqual(await seen(other), after);

  await page.goBack();
  await until('the step before', () => page.url() !== address);
  while (page.url().includes('by=function')) {
    const now = page.url();
    await page.goBack();
    await until('another step back', () => page.url() !== now);
  }
  await until('as before', async () => isDeepStrictEqual(await seen(page), before));
  await page.goForward();
  await until('forward', () => page.url().includes('by=function'));
});

person('sees in two pages what either of them does', setting, async (desk) => {
  await desk.entryCount(2);
  const other = await desk.watched.another(desk.view.base);
  const items = (page) => page.getByRole('complementary', { name: 'Snapshots' }).getByRole('listitem');
  await until('both show both', async () => (await items(other).count()) === 2);
  await desk.button(/^Clear dusk/).click();
  await until('cleared in the other', async () => (await items(other).count()) === 1);
  await desk.button(/^Undo/).click();
  await until('there again', async () => (await items(other).count()) === 2);
  await desk.button(/^Show dawn/).click();
  await desk.button(/^Name: dawn/).click();
  await desk.page.getByRole('textbox', { name: 'Name' }).fill('after the night');
  await desk.page.keyboard.press('Enter');
  await items(other).filter({ hasText: 'after the night' }).waitFor();
});

person('says that the tool has ended, and keeps what is seen', {
  ...setting, page: { expected: [/ERR_CONNECTION_REFUSED|Failed to fetch|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/] },
}, async (desk) => {
  await desk.entryCount(2);
  await desk.button(/^Show dawn/).click();
  await new Table(desk.page).row('_start').first().waitFor();
  await desk.view.end();
  await desk.sees(/does not answer/);
  assert.ok(await new Table(desk.page).row('_start').count());
});
