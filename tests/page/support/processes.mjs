// Starts what the tests try: programs under heaptally, and the tool that serves
// the page. Each ends with its test, and at the latest with this process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { environment, heaptally, monsters, newFolder, root } from './places.mjs';

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
process.on('SIGTERM', () => process.exit(1));

function start(command, folder, options = {}) {
  // In KiB: what the process may write into one file.
  const limit = options.fileLimit
    ? ['bash', '-c', `trap '' XFSZ; ulimit -f ${options.fileLimit}; exec "$@"`, 'limited'] : [];
  const [program, ...words] = [...limit, ...command];
  const child = spawn(program, words, {
    cwd: options.cwd ?? root,
    env: environment(folder, options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.stdin.on('error', () => {});
  child.errors = '';
  child.stderr.on('data', (data) => (child.errors += data));
  return child;
}

async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode;
}

/** Ends a process of ours and waits until it is gone. */
async function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  const how = await ended(child);
  clearTimeout(timer);
  if (how === 'SIGKILL' && signal !== 'SIGKILL')
    throw new Error(`${child.spawnargs.join(' ')} did not end on ${signal}`);
  return how;
}

/** A program under heaptally. `said` waits for its next line. */
export class Program {
  constructor(folder, words, options = {}) {
    const given = options.options ?? [];
    this.child = start([heaptally, 'run', ...given, '--', ...words], folder, options);
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.pid = this.child.pid;
  }

  async said() {
    return (await this.lines.next()).value;
  }

  say(line) {
    this.child.stdin.write(`${line}\n`);
  }

  end(signal = 'SIGKILL') {
    return end(this.child, signal);
  }
}

/** The demo, at its first mark. */
export async function startMonsters(folder, options) {
  const demo = new Program(folder, [monsters], options);
  const line = await demo.said();
  if (!line?.startsWith('mark 1: dusk'))
    throw new Error(`monsters said ${line}; ${demo.child.errors}`);
  return demo;
}

/** On to the second mark. */
export async function toDawn(demo) {
  demo.say('');
  const line = await demo.said();
  if (!line?.startsWith('mark 2: dawn')) throw new Error(`monsters said ${line}`);
}

/** `heaptally view`, serving: its address and what it said. */
export class View {
  static async start(folder, words = [], options = {}) {
    const view = new View();
    view.child = start([heaptally, 'view', '--no-browser', ...words.map(String)], folder, options);
    view.said = '';
    view.address = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(view.silent('no address within 20 s')), 20_000);
      view.child.stdout.on('data', (data) => {
        view.said += data;
        const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/\S*/.exec(view.said);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[0]);
      });
      view.child.once('exit', (code) => {
        clearTimeout(timer);
        reject(view.silent(`it ended with ${code}`));
      });
    });
    view.base = view.address.replace(/#.*/, '');
    return view;
  }

  silent(why) {
    return new Error(`heaptally view: ${why}: ${this.said} ${this.child.errors}`);
  }

  async answer(path, body) {
    const post = { method: 'POST', body: JSON.stringify(body) };
    if (body) post.headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${this.base}api/${path}`, body ? post : {});
    return { status: response.status, body: await response.json() };
  }

  /** What the tool says, for comparison with what the page shows. */
  async ask(path, body) {
    for (;;) {
      const { status, body: got } = await this.answer(path, body);
      if (status === 200) return got;
      if (status !== 202) throw new Error(`${path}: ${status} ${JSON.stringify(got)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  end(signal = 'SIGTERM') {
    return end(this.child, signal);
  }
}

/** Runs the tool to its end and gives what it printed as JSON. */
export async function askTool(...words) {
  const child = start([heaptally, ...words.map(String), '--json'], newFolder());
  child.stdin.end();
  let out = '';
  child.stdout.on('data', (data) => (out += data));
  const closed = once(child, 'close');
  await closed;
  if (child.exitCode !== 0) throw new Error(`${words.join(' ')}: ${child.errors}`);
  return JSON.parse(out);
}

/** Waits until `check` gives something true. */
export async function until(what, check, seconds = 15) {
  const limit = Date.now() + seconds * 1000;
  for (;;) {
    const got = await check();
    if (got) return got;
    if (Date.now() > limit) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
