// Where the tests find what they try and leave what they make. run.mjs sets the
// variables; nothing here has a default, so that no test tries another build.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

function given(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: begin with run.mjs`);
  return value;
}

export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
export const build = given('HEAPTALLY_BUILD');
export const results = given('HEAPTALLY_RESULTS');
export const heaptally = join(build, 'bin/heaptally');
export const monsters = join(build, 'bin/monsters');
/** The demo at its two marks, taken by `heaptally snapshot`. */
export const dusk = join(results, 'dusk.heaptally');
export const dawn = join(results, 'dawn.heaptally');
export const demoSource = join(root, 'integration/demo/monsters.cc');

/** An empty folder that is gone when the process ends. Its path is short, as a
 * Unix socket in it has 107 characters at most. */
export function newFolder() {
  const folder = mkdtempSync('/tmp/heaptally-page.');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Ours without what would change the tool's ways, or lead to other processes
 * than those of this folder. */
export function environment(folder, more = {}) {
  const own = { ...process.env, XDG_RUNTIME_DIR: folder, TMPDIR: folder, ...more };
  for (const name of ['HEAPTALLY', 'LD_PRELOAD', 'NODE_TEST_CONTEXT']) delete own[name];
  return own;
}
