// A person at work: the demo runs, the tool serves, the page is open. One desk
// for each test, so that none depends on another.
import { test, after } from 'node:test';
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { startBrowser, Watched } from './browser.mjs';
import { newFolder, results } from './places.mjs';
import { startMonsters, until, View } from './processes.mjs';

let browser;
after(async () => (await browser)?.close());

export function theBrowser() {
  browser ??= startBrowser();
  return browser;
}

export class Desk {
  /** `demo`: the monsters run, or what it is given starts; the page begins with it,
   * as other programs under heaptally may run on this machine. `words`: more that
   * follows `heaptally view`. `page`: as for Watched. `hash`: where the page begins. */
  async begin({ demo = null, words = [], page = {}, hash = '', view = {}, folder } = {}) {
    this.folder = folder ?? newFolder();
    this.programs = [];
    if (demo) this.demo = await (demo === true ? startMonsters : demo)(this.folder);
    const pid = this.demo ? [this.demo.pid] : [];
    this.view = await View.start(this.folder, [...pid, ...words], view);
    const address = hash ? this.view.base + hash : this.view.address;
    this.watched = await Watched.open(await theBrowser(), address, page);
    this.page = this.watched.page;
  }

  /** A program that ends with the desk. */
  async with(program) {
    const begun = await program;
    this.programs.push(begun);
    return begun;
  }

  async picture(name, page = this.page) {
    const folder = join(results, 'failed');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name.replace(/[^a-z0-9]+/gi, '-')}.png`);
    await page?.screenshot({ path: file }).catch(() => {});
  }

  async end() {
    try {
      await this.watched?.close();
    } finally {
      await this.view?.end();
      await this.demo?.end();
      for (const program of this.programs ?? []) await program.end('SIGTERM');
    }
  }

  // What is on the page, by role and name.
  button(name, inside = this.page) {
    return inside.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
  }

  /** One of the toolbar's lists: by, what is held, in. */
  choice(label, page = this.page) {
    return page.getByRole('combobox', { name: label, exact: true });
  }

  tab(name) {
    return this.page.getByRole('tab', { name, exact: true });
  }

  entries() {
    return this.page.getByRole('complementary', { name: 'Snapshots' }).getByRole('listitem');
  }

  /** Waits until the list has so many snapshots that are ready, and gives the last. */
  async entryCount(number) {
    await until(`${number} snapshots in the list`, async () => {
      const { entries } = await this.view.ask('state');
      return entries.length === number && entries.every((entry) => entry.state !== 'pending') &&
        (await this.entries().count()) === number;
    });
    return this.entries().last();
  }

  async sees(text, inside = this.page) {
    await inside.getByText(text).first().waitFor();
  }

  state() {
    return this.view.ask('state');
  }
}

/** Leaves a picture if `body` fails; its fault goes before those of the end. */
export async function atDesk(desk, name, body) {
  let fault = null;
  try {
    await body();
  } catch (thrown) {
    fault = thrown;
    await desk.picture(name);
  }
  await desk.end().catch((thrown) => (fault ??= thrown));
  if (fault) throw fault;
}

/** A test whose name is what a person does. */
export function person(name, setting, body) {
  test(name, { timeout: 60_000 }, async () => {
    const desk = new Desk();
    await atDesk(desk, name, async () => {
      await desk.begin(setting);
      await body(desk);
    });
  });
}
