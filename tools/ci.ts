/**
 * `npm run ci`: everything that a change must pass, each part with a time limit and also after a part that failed; then what went wrong, the time of
 * each part, and one closing line for all of them. `.ci/run` installs what the tests may ask for and runs this.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CiPart, runPart } from './ci-parts.ts';
import { printSummary, summarise, summaryOptions } from './summary.ts';
import type { TestRecord } from './test-record.ts';

const parts: readonly CiPart[] = [
  { name: 'test:emulator', command: ['npm', 'run', '--silent', 'test:emulator'], limitSeconds: 6 * 60 },
  { name: 'test:engines', command: ['npm', 'run', '--silent', 'test:engines'], limitSeconds: 8 * 60 },
  { name: 'test', command: ['npm', 'test', '--silent'], limitSeconds: 25 * 60 },
];

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

const folder = mkdtempSync(join(tmpdir(), 'ci-'));
// Servers that tests start as another user put their files there, too.
chmodSync(folder, 0o1777);
const records: TestRecord[] = [];
try {
  for (const part of parts) if (!stopped.signal.aborted) records.push(...(await runPart(part, folder, stopped.signal)));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
printSummary(summarise(records, summaryOptions()));
if (stopped.signal.aborted) process.exitCode = 143;
