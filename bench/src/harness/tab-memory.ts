import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

/** Private memory of the largest tab's process in MB, which closing the tab would free. Linux only. */
export async function readTabMemory(browser: Browser): Promise<number> {
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
  const sizes = await Promise.all(
    processInfo
      .filter(({ type }) => type === 'renderer')
      .map(async ({ id }) => {
        const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
        return [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce((sum, [, kB]) => sum + Number(kB) / 1000, 0);
      }),
  );
  return Math.max(...sizes);
}
