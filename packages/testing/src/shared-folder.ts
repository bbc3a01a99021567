import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';

const folder = join(import.meta.dirname, '../../../../shared');

/** Path of something in `../shared`, the folder next to the checkout with recordings that may not be redistributed. */
export const sharedPath = (path: string): string => join(folder, path);

/** Skips a test if there is no `../shared`; `beforeEach(needsSharedFolder)` skips all tests of a file or `describe`. */
export function needsSharedFolder({ skip }: TestContext): void {
  skip(!existsSync(folder), 'the folder ../shared is absent');
}
