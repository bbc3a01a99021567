import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import bundled from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

/** The system's Chromium if installed, otherwise the one from the npm package. */
export async function findBrowser(): Promise<string> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const installed = folders
    .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  return installed ?? bundled.executablePath();
}

/** @param switches Chromium switches in addition to the common ones */
export async function launchBrowser(switches: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: await findBrowser(),
    // The sandbox does not work as root. Only the page under test may use the network. Audio plays without a user gesture.
    args: [...switches, '--no-sandbox', '--disable-background-networking', '--autoplay-policy=no-user-gesture-required'],
  });
}

/** Long enough for an analysis on two cores that servers, databases and browsers share. */
const PATIENCE_MS = 90_000;

let shared: Promise<Browser> | undefined;

/** The browser that all tests in a process share; each page has its own context. It ends with the process. */
export function shareBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** Opens a page whose `faults` are what must not happen: requests to other origins, console errors and warnings, policy violations. */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    baseURL: origin,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(blob|data):/.test(url)) faults.push(`request to ${url}`);
  });
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    const { url } = message.location();
    faults.push(`console: ${message.text()}${url === '' ? '' : ` (${url})`}`);
  });
  await page.addInitScript(() => {
    // Hide service workers: their responses would bypass the routes that tests set up. e2e/offline.test.ts covers them.
    Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      // biome-ignore lint/suspicious/noConsole: so that it is counted among the faults
      console.error(`refused by ${violatedDirective}: ${blockedURI}`),
    );
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  return { page, faults, close: () => context.close() };
}
