// A browser as a person has it, but watched: an error in the console, a breach of
// the content security policy and a request to anywhere but the tool each fail
// the test, unless the test says that it expects them.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const PATIENCE_MS = 10_000;

/** With a profile of its own, removed when it is closed. */
export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.HEAPTALLY_CHROMIUM ?? '/usr/bin/chromium',
    args: FLAGS,
  });
}

export class Watched {
  /** `expected`: regular expressions of console messages that are no fault. */
  static async open(browser, address, options = {}) {
    const { expected = [], ...context } = options;
    const watched = new Watched();
    watched.faults = [];
    watched.expected = expected;
    watched.context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      locale: 'en-GB',
      timezoneId: 'UTC',
      ...context,
    });
    watched.context.setDefaultTimeout(PATIENCE_MS);
    await watched.context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    watched.page = await watched.another(address);
    return watched;
  }

  /** Another tab of the same person. */
  async another(address) {
    const page = await this.context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        this.note(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.note(`uncaught: ${error.stack}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (['data:', 'blob:'].includes(url.protocol)) return;
      if (url.hostname !== '127.0.0.1') this.note(`request to ${url}`);
    });
    const response = await page.goto(address);
    this.policy = response?.headers()['content-security-policy'];
    return page;
  }

  note(fault) {
    if (!this.expected.some((known) => known.test(fault))) this.faults.push(fault);
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.faults, []);
  }
}
