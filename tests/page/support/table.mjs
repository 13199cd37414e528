// The tree table as a person reads it: a row by its name, a cell by its column.
// The exact number of a cell is in its tooltip.
import { until } from './processes.mjs';

export class Table {
  constructor(page) {
    this.page = page;
    this.grid = page.getByRole('treegrid', { name: 'Rows' });
  }

  /** Rows in which `name` is, all of it or as a regular expression. */
  row(name) {
    return this.grid.getByRole('row').filter({ has: this.page.locator('.name') })
      .filter({ hasText: name });
  }

  async titles() {
    const heads = await this.grid.getByRole('columnheader').allTextContents();
    return heads.map((text) => text.replace(/[▾▴]/g, '').trim());
  }

  async cell(row, title) {
    const at = (await this.titles()).indexOf(title);
    if (at < 0) throw new Error(`no column ${title} among ${await this.titles()}`);
    return row.first().getByRole('gridcell').nth(at);
  }

  /** As it is shown, without the percentage. */
  async text(row, title) {
    return (await this.cell(row, title)).locator('.number').textContent();
  }

  async percent(row, title) {
    return (await this.cell(row, title)).locator('.percent').textContent();
  }

  /** The exact number. */
  async exact(row, title) {
    const words = await (await this.cell(row, title)).getAttribute('title');
    const found = /^([+\u2212]?)([\d\u2009]+) (?:bytes?|blocks?)\b/.exec(words);
    if (!found) throw new Error(`no number in ${words}`);
    const size = Number(found[2].replaceAll('\u2009', ''));
    return found[1] === '\u2212' ? -size : size;
  }

  /** [blocks, bytes] of two columns. */
  async pair(row, blocks, bytes) {
    return [await this.exact(row, blocks), await this.exact(row, bytes)];
  }

  async names() {
    return this.grid.locator('[role=row] .function').allTextContents();
  }

  /** A row that holds most is open from the beginning. */
  async open(row) {
    if ((await row.first().getAttribute('aria-expanded')) === 'true') return;
    const button = row.first().getByRole('button', { name: /^Open/ });
    const before = await this.grid.getAttribute('aria-rowcount');
    await button.click();
    await until('rows appear below', async () =>
      (await this.grid.getAttribute('aria-rowcount')) !== before);
  }
}
