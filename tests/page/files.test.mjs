// Files: saving, importing, what is wrong with one, clearing and undoing, disks
// that are full.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Watched } from './support/browser.mjs';
import { atDesk, Desk, person, theBrowser } from './support/desk.mjs';
import { askTool, until, View } from './support/processes.mjs';
import { build, dawn, dusk, newFolder } from './support/places.mjs';
import { blocks, bytes, thinned } from './support/words.mjs';

const atDawn = (await askTool('report', dawn)).totals.current;
const refused = { page: { expected: [/status of [45]\d\d/] } };
const made = newFolder();
execFileSync(join(build, 'tests/cli/cli_make_files'), [made]);

/** A copy of the dawn with one byte changed in its middle. */
function damaged() {
  const bytesOfFile = readFileSync(dawn);
  bytesOfFile[Math.floor(bytesOfFile.length / 2)] ^= 0xff;
  const file = join(newFolder(), 'damaged.heaptally');
  writeFileSync(file, bytesOfFile);
  return file;
}

async function takeOne(desk) {
  await desk.button('Take snapshot').click();
  return desk.entryCount(1);
}

person('gives a name and a note, and saves to a path', { demo: true, ...refused }, async (desk) => {
  const { page } = desk;
  const entry = await takeOne(desk);
  await desk.button(/^Name: /, entry).click();
  const name = entry.getByRole('textbox', { name: 'Name' });
  await name.fill('first evening');
  await page.keyboard.press('Enter');
  await desk.button(/^Note: /, entry).click();
  await entry.getByRole('textbox', { name: 'Note' }).fill('nobody has died yet');
  await page.keyboard.press('Enter');
  await desk.sees('first evening', entry);
  await desk.sees('nobody has died yet', entry);
  // Escape gives the old one back.
  await desk.button(/^Name: first evening/, entry).click();
  await entry.getByRole('textbox', { name: 'Name' }).fill('else');
  await page.keyboard.press('Escape');
  await desk.button(/^Name: first evening/, entry).waitFor();

  const place = join(desk.folder, 'saved.heaptally');
  await desk.button('Save first evening', entry).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Path' }).fill(place);
  await desk.button('Save', dialog).click();
  await desk.sees(`Saved as ${place}.`);
  await until('it counts as saved', async () => (await desk.state()).session.unsaved === 0);
  await entry.getByText('Saved').waitFor();
  const report = await askTool('report', place);
  assert.equal(report.label, 'first evening');
  assert.deepEqual(report.totals.current, (await askTool('report', dusk)).totals.current);
  assert.match(execFileSync(join(build, 'bin/heaptally'), ['dump', place, '--section', 'notes'],
    { encoding: 'utf8' }), /nobody has died yet/);

  // Once more to the same place: only when it is said so.
  const before = statSync(place).mtimeMs;
  await desk.button('Save first evening', entry).click();
  await dialog.getByRole('textbox', { name: 'Path' }).fill(place);
  await desk.button('Save', dialog).click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(statSync(place).mtimeMs, before);
  await desk.button('Overwrite', dialog).click();
  await dialog.waitFor({ state: 'detached' });
  assert.notEqual(statSync(place).mtimeMs, before);
});

person('says why a place cannot be saved to', { demo: true, ...refused }, async (desk) => {
  const entry = await takeOne(desk);
  await desk.button(/^Save /, entry).click();
  const dialog = desk.page.getByRole('dialog');
  const place = '/no/such/folder/x.heaptally';
  await dialog.getByRole('textbox', { name: 'Path' }).fill(place);
  await desk.button('Save', dialog).click();
  const words = await dialog.getByRole('alert').textContent();
  assert.match(words, /\/no\/such\/folder/);
  assert.match(words, /make the folder|another/);
});

person('saves by a download', { demo: true }, async (desk) => {
  const entry = await takeOne(desk);
  await desk.button(/^Save /, entry).click();
  const dialog = desk.page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Download by the browser' }).check();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('mine.heaptally');
  const began = desk.page.waitForEvent('download');
  await desk.button('Download', dialog).click();
  const download = await began;
  assert.equal(download.suggestedFilename(), 'mine.heaptally');
  const place = join(desk.folder, 'downloaded.heaptally');
  await download.saveAs(place);
  assert.equal((await askTool('report', place)).totals.current.blocks, 2033);
  await until('it counts as saved', async () => (await desk.state()).session.unsaved === 0);
});

person('clears one, undoes it, clears all, undoes that', {
  words: [dusk, dawn],
  // Rows that are asked for while their snapshot is being cleared.
  page: { expected: [/status of 404 .*\/api\/rows\?/] },
}, async (desk) => {
  const { page } = desk;
  await desk.entryCount(2);
  await desk.button('Clear dusk').click();
  await desk.entryCount(1);
  await desk.sees('Cleared “dusk”.');
  await desk.button(/^Undo/).click();
  await desk.entryCount(2);
  await desk.button(/^Show dusk/).focus();
  await page.keyboard.press('Delete');
  await desk.entryCount(1);
  await desk.button(/^Undo/).click();
  await desk.entryCount(2);
  await desk.button('Clear all').click();
  await until('none is left', async () => (await desk.entries().count()) === 0);
  await desk.sees('Cleared all 2 snapshots.');
  await desk.sees('No snapshots yet.');
  await desk.button(/^Undo/).click();
  await desk.entryCount(2);
  assert.deepEqual((await desk.state()).entries.map((entry) => entry.name), ['dusk', 'dawn']);
  assert.ok(existsSync(dusk) && existsSync(dawn));
});

person('imports with the file picker, by a path and by dropping', {}, async (desk) => {
  const { page } = desk;
  await desk.button('Import').click();
  await page.getByRole('dialog').getByLabel('Files', { exact: true }).setInputFiles(dusk);
  await desk.sees(blocks(2033), await desk.entryCount(1));

  await desk.button('Import').click();
  await page.getByRole('textbox', { name: 'Or a path on this machine' }).fill(dawn);
  await page.keyboard.press('Enter');
  const second = await desk.entryCount(2);
  await desk.sees(blocks(atDawn.blocks), second);
  await desk.sees(bytes(atDawn.usable), second);

  const data = readFileSync(dawn).toString('base64');
  await page.evaluate(async (base64) => {
    const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const dropped = new DataTransfer();
    dropped.items.add(new File([content], 'dropped.heaptally'));
    for (const kind of ['dragenter', 'dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(kind, {
        dataTransfer: dropped, bubbles: true, cancelable: true,
      }));
  }, data);
  await desk.sees(blocks(atDawn.blocks), await desk.entryCount(3));
});

person('states the fault of files on the command line, and opens the others', {
  words: [dusk, damaged(), join(made, 'newer.heaptally')],
}, async (desk) => {
  await desk.entryCount(3);
  const { entries } = await desk.state();
  assert.deepEqual(entries.map((entry) => entry.state), ['ready', 'bad', 'bad']);
  const [, broken, newer] = entries;
  const item = (at) => desk.entries().nth(at);
  assert.ok(broken.error.section && broken.error.offset !== null);
  await desk.sees(thinned(broken.error.sentence), item(1));
  await desk.sees(`Section ${broken.error.section}`, item(1));
  if (broken.error.advice) await desk.sees(broken.error.advice, item(1));
  await desk.sees(/version 2/, item(2));
  assert.match(`${newer.error.sentence} ${newer.error.advice}`, /newer/);
  await desk.button(/^Clear damaged/).click();
  await desk.entryCount(2);
});

test('ends with a sentence when there is no such file', { timeout: 60_000 }, async () => {
  await assert.rejects(View.start(newFolder(), ['/no/such/file.heaptally']),
    /it ended with 2: .*there is no file \/no\/such\/file\.heaptally/);
});

person('says what is wrong with a file that is no snapshot', {}, async (desk) => {
  const { page } = desk;
  const cut = join(desk.folder, 'cut.heaptally');
  copyFileSync(dawn, cut);
  truncateSync(cut, 1000);
  const text = join(desk.folder, 'text.heaptally');
  writeFileSync(text, 'this is a letter, not a snapshot\n'.repeat(10));
  await desk.button('Import').click();
  await page.getByRole('dialog').getByLabel('Files', { exact: true }).setInputFiles([cut, text]);
  await desk.entryCount(2);
  for (const entry of (await desk.state()).entries) {
    assert.equal(entry.state, 'bad');
    await desk.sees(thinned(entry.error.sentence));
  }
});

/** A folder on a disk of 1 MiB that is full but for `kib` KiB; where mounting is
 * not allowed, a limit on the size of what the tool writes does the same to it. */
function smallDisk(kib) {
  const folder = newFolder();
  const mount = ['-t', 'tmpfs', '-o', 'size=1024k,mode=700', 'tmpfs', folder];
  if (spawnSync('mount', mount).status !== 0)
    return { folder, view: { fileLimit: kib }, makeRoom: null, release() {} };
  const filler = join(folder, 'filler');
  return {
    folder,
    view: {},
    fill() {
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k']);
      truncateSync(filler, statSync(filler).size - kib * 1024);
    },
    makeRoom: () => rmSync(filler),
    release: () => spawnSync('umount', ['-l', folder]),
  };
}

test('says that there is no room for a snapshot, and takes it when there is',
  { timeout: 60_000 }, async () => {
    const disk = smallDisk(4);
    const desk = new Desk();
    try {
      await atDesk(desk, 'no room for a snapshot', async () => {
        await desk.begin({ folder: disk.folder, view: disk.view, demo: true });
        disk.fill?.();
        await desk.button('Take snapshot').click();
        await desk.page.getByRole('status').getByText(/disk is full|make room|too large/i).first().waitFor();
        await until('nothing half is left', async () => (await desk.state()).entries.length === 0);
        if (!disk.makeRoom) return;
        disk.makeRoom();
        await desk.button('Take snapshot').click();
        await desk.sees(blocks(2033), await desk.entryCount(1));
      });
    } finally {
      disk.release();
    }
  });

test('says that there is no room to save, and leaves nothing half there',
  { timeout: 60_000 }, async () => {
    const disk = smallDisk(4);
    const desk = new Desk();
    const place = join(disk.folder, 'x.heaptally');
    try {
      await atDesk(desk, 'no room to save', async () => {
        await desk.begin({ words: [dusk], view: disk.view, ...refused });
        disk.fill?.();
        const entry = await desk.entryCount(1);
        await desk.button(/^Save /, entry).click();
        const dialog = desk.page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Path' }).fill(place);
        await desk.button('Save', dialog).click();
        assert.match(await dialog.getByRole('alert').textContent(), /make room/);
        assert.deepEqual(readdirSync(disk.folder).filter((name) => name !== 'filler'), []);
        if (!disk.makeRoom) return;
        disk.makeRoom();
        await desk.button('Save', dialog).click();
        await dialog.waitFor({ state: 'detached' });
        assert.equal((await askTool('report', place)).label, 'dusk');
      });
    } finally {
      disk.release();
    }
  });

test('warns of what is not saved, and clears up after a tool that was killed',
  { timeout: 60_000 }, async () => {
    const desk = new Desk();
    await atDesk(desk, 'killed tool', async () => {
      await desk.begin({ demo: true });
      await takeOne(desk);
      const { session, entries: [{ name }] } = await desk.state();
      // The first Ctrl-C only warns, and names the snapshot.
      desk.view.child.kill('SIGINT');
      const said = () => desk.view.said + desk.view.child.errors;
      await until('a warning', () => said().includes(name) && /not saved|unsaved/.test(said()));
      await desk.watched.close();
      desk.watched = null;
      await desk.view.end('SIGKILL');
      assert.ok(existsSync(session.folder));
      const next = await desk.with(View.start(desk.folder));
      const { recovered } = await next.ask('state');
      assert.match(recovered, /killed.*1 snapshot in its session folder .*was removed/);
      assert.equal(existsSync(session.folder), false);
      desk.watched = await Watched.open(await theBrowser(), next.address);
      await desk.watched.page.getByText(recovered).waitFor();
      await desk.watched.close();
      desk.watched = null;
    });
  });
