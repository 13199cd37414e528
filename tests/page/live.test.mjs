// Live processes: choosing one, watching it, taking snapshots of it, recording.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { person } from './support/desk.mjs';
import { changes } from './support/demo.mjs';
import { askTool, Program, startMonsters, toDawn, until } from './support/processes.mjs';
import { build, dawn, dusk } from './support/places.mjs';
import { blocks, bytes, exact, signed } from './support/words.mjs';

const atDusk = (await askTool('report', dusk)).totals;
const atDawn = (await askTool('report', dawn)).totals;

const shown = async (desk) =>
  (await desk.state()).processes.find(({ pid }) => pid === desk.demo.pid);

/** The strip's figure named so: its exact numbers are in its tooltip. */
function figure(page, name, { usable, requested, blocks: number }) {
  const title = `${exact(usable)} usable, ${exact(requested)} requested, ${blocks(number)}`;
  return page.getByTitle(title).filter({ hasText: name }).filter({ hasText: bytes(usable) });
}

person('picks one of two processes', { demo: true }, async (desk) => {
  const second = await desk.with(startMonsters(desk.folder));
  await toDawn(second);
  const picker = desk.page.getByRole('combobox', { name: 'Process' });
  await until('both are offered', async () => {
    const offered = await picker.getByRole('option').allTextContents();
    return [desk.demo, second].every(({ pid }) =>
      offered.some((text) => text.includes(`monsters ${pid} `)));
  });
  await picker.selectOption(String(second.pid));
  await figure(desk.page, 'Current', atDawn.current).waitFor();
  await figure(desk.page, 'Peak', atDawn.peak).waitFor();
  await picker.selectOption(String(desk.demo.pid));
  await figure(desk.page, 'Current', atDusk.current).waitFor();
});

person('begins with the process that was named', { demo: true }, async (desk) => {
  const second = await desk.with(startMonsters(desk.folder));
  const { View } = await import('./support/processes.mjs');
  const view = await desk.with(View.start(desk.folder, [second.pid]));
  const page = await desk.watched.another(view.address);
  const picker = page.getByRole('combobox', { name: 'Process' });
  await picker.waitFor();
  await until('it is chosen', async () => (await picker.inputValue()) === String(second.pid));
  await page.close();
});

person('watches the strip move', { demo: true }, async (desk) => {
  await figure(desk.page, 'Current', atDusk.current).waitFor();
  await toDawn(desk.demo);
  await figure(desk.page, 'Current', atDawn.current).waitFor();
  await figure(desk.page, 'Peak', atDawn.peak).waitFor();
  await desk.page.getByRole('img', { name: /Current usable bytes over the last/ }).waitFor();
  await desk.button('More').click();
  await desk.button('Reset the peak to the current value').click();
  await figure(desk.page, 'Peak', atDawn.current).waitFor();
});

person('takes a snapshot with the button and another with s', { demo: true }, async (desk) => {
  const { page } = desk;
  await desk.button('Take snapshot').click();
  const first = await desk.entryCount(1);
  const [entry] = (await desk.state()).entries;
  assert.deepEqual(entry.total, Object.values(atDusk.current));
  const { session } = await desk.state();
  const size = statSync(join(session.folder, `${entry.id}.heaptally`)).size;
  assert.equal(entry.file_bytes, size);
  for (const text of [bytes(atDusk.current.usable), blocks(atDusk.current.blocks),
    `${bytes(size)} file`, `monsters ${desk.demo.pid}`, 'all stacks'])
    await desk.sees(text, first);
  assert.match(await first.textContent(), /\d\d:\d\d:\d\d/);
  assert.equal(await first.getByText(/^[+\u2212]/).count(), 0);

  await toDawn(desk.demo);
  await page.locator('body').press('s');
  const last = await desk.entryCount(2);
  await desk.sees(bytes(atDawn.current.usable), last);
  await desk.sees(blocks(atDawn.current.blocks), last);
  const [number, , usable] = changes.net;
  await desk.sees(`${signed(usable, bytes)}, ${signed(number, blocks)}`, last);
  await desk.sees('2 snapshots are not saved and go when heaptally ends.');
});

person('switches recording off and on; blocks without a stack are a row with their reason',
  { demo: true }, async (desk) => {
    const { page } = desk;
    const mode = (name) => page.getByRole('group', { name: 'Record call stacks' })
      .getByRole('radio', { name });
    await until('all is recorded', () => mode('All').isChecked());
    await mode('Counters').check();
    await until('it counts only', async () =>
      (await shown(desk)).mode === 'counters' && mode('Counters').isChecked());
    await desk.sees(/blocks and bytes are counted/);
    await toDawn(desk.demo);
    await desk.button('Take snapshot').click();
    await desk.entryCount(1);

    const row = page.getByRole('row').filter({ hasText: 'allocated while stacks were not recorded' });
    await row.waitFor();
    const [number, , usable] = changes.added;
    await desk.sees(bytes(usable), row);
    await desk.sees(blocks(number).replace(/ blocks$/, ''), row);

    await mode('All').check();
    await until('it records again', async () => (await shown(desk)).mode === 'all');
    await desk.sees(/The stack of every allocation/);
    await mode('Sampled').check();
    await until('it samples', async () => (await shown(desk)).mode === 'sampled');
    await desk.sees(/About one stack for each/);
  });

person('keeps the snapshots of a process that was killed', { demo: true }, async (desk) => {
  await desk.button('Take snapshot').click();
  await desk.entryCount(1);
  await desk.demo.end('SIGKILL');
  await desk.sees(`monsters ${desk.demo.pid} has ended. Its snapshots stay.`);
  assert.equal(await desk.button('Take snapshot').isDisabled(), true);
  await desk.page.reload();
  await desk.entryCount(1);
  await desk.page.getByRole('row').filter({ hasText: '_start' }).first().waitFor();
});

async function manyBlocks(folder) {
  const program = new Program(folder, [join(build, 'bin/many_blocks'), '1500000']);
  await program.said();
  return program;
}

person('says so when the process ends while it is captured', {
  demo: manyBlocks,
}, async (desk) => {
  await desk.button('Take snapshot').click();
  await until('it is being captured', async () =>
    (await desk.state()).tasks.some((task) => task.state === 'running'));
  await desk.demo.end('SIGKILL');
  await desk.page.getByRole('status').getByText(/ended|gone|capture/).first().waitFor();
  await until('nothing is left running', async () =>
    (await desk.state()).tasks.every((task) => task.state !== 'running'));
  assert.equal((await desk.state()).entries.filter((entry) => entry.state === 'ready').length, 0);
});

person('cancels a capture', { demo: manyBlocks }, async (desk) => {
  await desk.button('Take snapshot').click();
  const progress = desk.page.getByRole('progressbar').first();
  await progress.waitFor();
  assert.match(await progress.getAttribute('aria-valuetext'), /: .*\d.*, \d+\.\d s$/);
  await desk.button('Cancel').click();
  await desk.page.getByRole('status').getByText(/^Cancelled/).waitFor();
  await until('nothing is left', async () => {
    const { tasks, entries } = await desk.state();
    return entries.length === 0 && tasks.every((task) => task.state !== 'running');
  });
  assert.equal(desk.demo.child.exitCode, null);
});
