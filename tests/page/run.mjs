#!/usr/bin/env node
// Tries the page in a browser, as a person uses it.
//
//   run.mjs BUILD [FILE.test.mjs…] [--test-name-pattern=WORDS]
//
// Takes the demo's two snapshots once, then runs the tests, two files at a time.
// Pictures of what was seen are left in BUILD/page.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const options = process.argv.slice(2).filter((word) => word.startsWith('--'));
const [build, ...chosen] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
if (!build) {
  console.error('usage: run.mjs BUILD [FILE.test.mjs…]');
  process.exit(2);
}
process.env.HEAPTALLY_BUILD = resolve(build);
process.env.HEAPTALLY_RESULTS = join(resolve(build), 'page');
rmSync(process.env.HEAPTALLY_RESULTS, { recursive: true, force: true });
mkdirSync(process.env.HEAPTALLY_RESULTS, { recursive: true });

const { heaptally, dusk, dawn, newFolder } = await import('./support/places.mjs');
const { startMonsters, toDawn } = await import('./support/processes.mjs');

async function takeDemo() {
  const folder = newFolder();
  const demo = await startMonsters(folder);
  const take = (file, label) => {
    const words = ['snapshot', String(demo.pid), '-o', file, '--label', label];
    const env = { ...process.env, XDG_RUNTIME_DIR: folder };
    const done = spawnSync(heaptally, words, { env, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`${words.join(' ')}: ${done.stderr}`);
  };
  take(dusk, 'dusk');
  await toDawn(demo);
  take(dawn, 'dawn');
  await demo.end();
}

await takeDemo();
const files = chosen.length > 0
  ? chosen.map((file) => join(here, basename(file)))
  : readdirSync(here).filter((name) => name.endsWith('.test.mjs')).sort()
      .map((name) => join(here, name));
const tests = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-reporter=spec', ...options, ...files],
  { stdio: 'inherit', timeout: 280_000 },
);
process.exit(tests.status ?? 1);
