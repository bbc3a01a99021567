import { globSync } from 'node:fs';
import { root } from './process.ts';

/** Stories of every change: from the first page to an answer, as a visitor and signed in, and a server that is killed. */
export const coreStories: readonly string[] = ['e2e/crash.test.ts', 'e2e/first-page.test.ts', 'e2e/flow.test.ts'];

/** The other stories, which take a quarter of an hour. */
export const otherStories = (): string[] =>
  globSync('e2e/*.test.ts', { cwd: root }).filter((path) => !coreStories.includes(path));
