import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openPage } from '../harness/browser.ts';
import { describeMachine, type Row, rowText } from '../harness/report.ts';
import { startServer } from '../harness/server.ts';

export interface OpenedPage {
  readonly page: Page;
  readonly browser: Browser;
  /** an empty temporary folder */
  readonly folder: string;
  /** Prints a figure. */
  readonly tell: (row: Row) => void;
}

/**
 * Opens a wide window on the built page, from a server with the real model that answers accounts only, unless `isOpen`; prints what machine
 * this is; and closes everything afterwards.
 *
 * @param microphone path of a WAV that the browser takes for its microphone
 * @returns whether all figures are within their limits
 */
export async function withPage(
  { isOpen = false, microphone }: { readonly isOpen?: boolean; readonly microphone?: string },
  act: (opened: OpenedPage) => Promise<void>,
): Promise<boolean> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-page-'));
  const sound = [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${microphone}`,
  ];
  await using server = await startServer({ OPEN_PREDICTION: String(isOpen) });
  await using browser = await launchBrowser(microphone === undefined ? [] : sound);
  const { page } = await openPage(browser, server.origin, {
    viewport: { width: 1280, height: 860 },
    permissions: ['microphone'],
  });
  page.setDefaultTimeout(120_000);
  process.stdout.write(`${describeMachine()}\n`);
  let isWithinLimits = true;
  const tell = (row: Row): void => {
    if (row.faults !== undefined && row.faults.length > 0) isWithinLimits = false;
    process.stdout.write(rowText(row));
  };
  await act({ page, browser, folder: folder.path, tell });
  return isWithinLimits;
}
