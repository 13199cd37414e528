// A real program: redis-server, filled between two snapshots. What the page shows
// is what `heaptally compare` says of the same two files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { person } from './support/desk.mjs';
import { askTool, Program, until } from './support/processes.mjs';
import { results } from './support/places.mjs';
import { Table } from './support/table.mjs';
import { blocks, bytes, count, signed } from './support/words.mjs';

const VALUES = 1000;
const VALUE_BYTES = 10_000;

async function startRedis(folder) {
  const socket = join(folder, 'redis.sock');
  const server = new Program(folder, ['redis-server', '--port', '0', '--unixsocket', socket,
    '--dir', folder, '--save', '', '--daemonize', 'no', '--activedefrag', 'no']);
  server.cli = (input) => execFileSync('redis-cli', ['-s', socket], { input, encoding: 'utf8' });
  await until('redis answers', () => {
    try {
      return server.cli('PING\n').includes('PONG');
    } catch {
      return false;
    }
  });
  return server;
}

async function save(desk, at, file) {
  const [entry] = (await desk.state()).entries.slice(at);
  await desk.view.ask(`entries/${entry.id}/save`, { path: file });
}

person('finds what redis-server has grown by', { demo: startRedis }, async (desk) => {
  const { page, demo: redis } = desk;
  await desk.button('Take snapshot').click();
  await desk.entryCount(1);
  const value = 'x'.repeat(VALUE_BYTES);
  redis.cli(Array.from({ length: VALUES }, (_, i) => `SET key:${i} ${value}\n`).join(''));
  await desk.button('Take snapshot').click();
  await desk.entryCount(2);
  await until('the second is shown', () => page.url().includes('of=2'));
  const [one, two] = ['one', 'two'].map((name) => join(desk.folder, `${name}.heaptally`));
  await save(desk, 0, one);
  await save(desk, 1, two);

  const { totals } = await askTool('compare', one, two);
  assert.ok(totals.net.blocks >= VALUES && totals.net.requested >= VALUES * VALUE_BYTES);
  await page.goto(`${desk.view.base}#of=1..2&by=size-class`);
  await page.reload();
  const table = new Table(page);
  const name = page.locator('.function', { hasText: /^10\.0 KiB$/ });
  const values = table.grid.getByRole('row').filter({ has: name }).first();
  await values.waitFor();
  const [number] = await table.pair(values, 'Net blocks', 'Net bytes');
  assert.equal(number, VALUES);
  const foot = page.locator('footer');
  await until('the foot', async () => {
    const text = await foot.textContent();
    return text.includes(`net ${signed(totals.net.usable, bytes)} and ${signed(totals.net.blocks, blocks)}`);
  });
  const text = await foot.textContent();
  assert.ok(text.includes(`new ${bytes(totals.new.usable)} in ${blocks(totals.new.blocks)}`), text);
  assert.ok(text.includes(`freed ${bytes(totals.freed.usable)} in ${blocks(totals.freed.blocks)}`), text);

  const byFunction = await askTool('compare', one, two, '--by', 'function');
  const [most] = byFunction.groups;
  await desk.choice('by').selectOption('function');
  await until('grouped', async () => (await table.names())[0]?.length > 0 && page.url().includes('by=function'));
  const first = table.grid.locator('.grid-body [role=row]').first();
  await until('what grew most comes first', async () =>
    (await table.text(first, 'Net blocks').catch(() => '')) === signed(most.net.blocks, count));
  assert.equal(await table.exact(first, 'Net bytes'), most.net.usable);
  await page.getByRole('main').getByText(signed(totals.net.usable, bytes)).first().waitFor();

  mkdirSync(join(results, 'pictures'), { recursive: true });
  for (const [name, hash] of [['call-tree', '#of=2&view=call-tree'],
    ['compare-call-tree', '#of=1..2&view=call-tree'], ['tree-map', '#of=2&view=tree-map&by=function'],
    ['compare', '#of=1..2&by=function'], ['summary', '#of=2&view=summary']]) {
    await page.goto(desk.view.base + hash);
    await page.getByRole('tabpanel').locator('canvas, .number, .card').first().waitFor();
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(results, 'pictures', `redis-${name}.png`) });
  }
});
