#!/usr/bin/env node
// How quick the page is on a large snapshot, as a person meets it in a browser:
// from the file to the first rows, regrouping, filtering, scrolling, comparing.
//
//   page_speed.mjs BUILD [BLOCKS [TRACEBACKS]]
//
// Times are from the key or click until the rows are drawn. The snapshots are
// made once, in BUILD/large. Fails if a limit is not kept.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [build, blocks = '5000000', tracebacks = '200000'] = process.argv.slice(2);
if (!build) {
  console.error('usage: page_speed.mjs BUILD [BLOCKS [TRACEBACKS]]');
  process.exit(2);
}
process.env.HEAPTALLY_BUILD = resolve(build);
process.env.HEAPTALLY_RESULTS = join(resolve(build), 'large');
const tests = '../tests/page/support';
const { newFolder, results } = await import(`${tests}/places.mjs`);
const { View } = await import(`${tests}/processes.mjs`);
const { startBrowser, Watched } = await import(`${tests}/browser.mjs`);
const limits = {
  'file to first rows': 2000, regroup: 300, filter: 300, sort: 300, 'open a row': 300,
  compare: 4000,
};
const files = ['one', 'two'].map((name) => join(results, `${name}-${blocks}-${tracebacks}.heaptally`));
const raw = join(results, `raw-${blocks}-${tracebacks}.heaptally`);

function makeSnapshots() {
  const make = join(resolve(build), 'bin/make_snapshot');
  mkdirSync(results, { recursive: true });
  if (files.every(existsSync) && existsSync(raw)) return;
  execFileSync(make, [files[0], blocks, tracebacks, '40', '1', '--named', '--later', files[1]]);
  execFileSync(make, [raw, blocks, tracebacks, '40', '1', '--named', '--raw']);
}

let slow = 0;
function tell(what, times, limit) {
  const worst = Math.max(...times);
  if (worst > limit) slow++;
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  const verdict = worst > limit ? 'TOO SLOW' : 'ok';
  console.log(`${what.padEnd(22)} median ${median.toFixed(0).padStart(5)} ms, worst ` +
    `${worst.toFixed(0).padStart(5)} ms of ${times.length}, limit ${limit} ms  ${verdict}`);
}

/** Milliseconds from `act` until the answer to a question with all `parts` in it
 * has come and has been drawn. */
async function timed(page, parts, act) {
  const answered = page.waitForResponse((response) =>
    response.status() === 200 && parts.every((part) => response.url().includes(part)),
    { timeout: 60_000 });
  const began = performance.now();
  await act();
  await (await answered).finished();
  await page.locator('[role=treegrid] [role=gridcell] .number')
    .or(page.getByText(/^Nothing matches/)).first().waitFor();
  await page.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done))));
  return performance.now() - began;
}

async function importPath(page, file) {
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Or a path on this machine' });
  await field.fill(file);
  return timed(page, ['api/rows?'], () => field.press('Enter'));
}

/** Scrolls a screen at a time; how many drawn frames had a row that was blank. */
async function scroll(page, screens) {
  return page.getByRole('treegrid').evaluate(async (grid, number) => {
    let frames = 0, blank = 0;
    for (let i = 0; i < number; i++) {
      grid.scrollTop += grid.clientHeight * 0.8;
      await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => requestAnimationFrame(done));
      const { top, bottom } = grid.getBoundingClientRect();
      frames++;
      const rows = [...grid.querySelectorAll('.grid-body [role=row]')].filter((row) => {
        const box = row.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      if (rows.length === 0 || rows.some((row) => row.classList.contains('blank'))) blank++;
      await new Promise((done) => setTimeout(done, 50));
    }
    return { frames, blank, rows: Number(grid.getAttribute('aria-rowcount')) };
  }, screens);
}

const MIB = 2 ** 20;
/** How much memory the tool has had at most until now. */
function tellMemory(view, what, number) {
  const status = readFileSync(`/proc/${view.child.pid}/status`, 'utf8');
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)[1]) * 1024;
  const unpacked = number * statSync(raw).size;
  console.log(`memory of the tool     ${(peak / MIB).toFixed(0)} MiB at most ${what}: ` +
    `${(peak / unpacked).toFixed(1)} times the ${(unpacked / MIB).toFixed(0)} MiB unpacked`);
}

makeSnapshots();
const view = await View.start(newFolder());
const browser = await startBrowser();
const watched = await Watched.open(browser, view.address);
const { page } = watched;
const compareButton = page.getByRole('button', { name: 'Compare', exact: true });
try {
  const first = await importPath(page, files[0]);
  tellMemory(view, 'for one file', 1);
  const second = await importPath(page, files[1]);
  tell('file to first rows', [first, second], limits['file to first rows']);

  const by = page.getByRole('combobox', { name: 'by', exact: true });
  const regroup = [], names = ['function', 'module', 'file', 'line', 'size-class', 'inverted', 'stack'];
  // Once anew and once as a person goes back to it.
  const each = {};
  for (const name of [...names, ...names]) {
    const took = await timed(page, ['api/rows?', `by=${name}`], () => by.selectOption(name));
    regroup.push(took);
    (each[name] ??= []).push(took.toFixed(0));
  }
  tell('regroup', regroup, limits.regroup);
  console.log(`  ${names.map((name) => `${name} ${each[name].join(', ')}`).join('; ')} ms`);

  const filter = page.getByRole('searchbox', { name: 'Filter', exact: true });
  const filtered = [];
  for (const text of ['function_12', 'source_7', 'function_4', 'nothing at all', 'function_31']) {
    filtered.push(await timed(page, ['api/rows?', `filter=${text.split(' ')[0]}`], () =>
      filter.fill(text)));
  }
  tell('filter', filtered, limits.filter);
  await timed(page, ['api/rows?'], () => filter.fill(''));

  await timed(page, ['api/rows?', 'by=function'], () => by.selectOption('function'));
  const sorts = [];
  for (const title of ['Count', 'Total bytes', 'Ever'])
    sorts.push(await timed(page, ['api/rows?', 'sort='], () =>
      page.getByRole('columnheader', { name: new RegExp(`^${title}`) }).getByRole('button').click()));
  tell('sort', sorts, limits.sort);

  const scrolled = await scroll(page, 100);
  console.log(`scrolling              ${scrolled.blank} of ${scrolled.frames} screens had a blank row ` +
    `(${scrolled.rows} rows)  ${scrolled.blank ? 'BLANK' : 'ok'}`);
  if (scrolled.blank) slow++;

  await compareButton.click();
  const pick = (name) => page.getByRole('button', { name });
  await pick(/^Pick .* as the baseline$/).first().click();
  const compared = await timed(page, ['api/rows?', 'of=1..2'], () =>
    pick(/^Pick .* as the comparison$/).last().click());
  tell('compare', [compared], limits.compare);
} finally {
  tellMemory(view, 'for two files and their comparison', 2);
  await watched.context.close();
  await browser.close();
  await view.end();
}
if (watched.faults.length > 0) console.log(watched.faults);
process.exit(slow > 0 || watched.faults.length > 0 ? 1 : 0);
