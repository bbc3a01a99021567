/**
 * `npm run ci`: everything that a change must pass. Runs each part with a time limit, even after a failed one; then prints the failures,
 * the time of each part, and one closing line. `.ci/run` installs what the tests can use and runs this.
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
// Tests start some servers as another user, who also writes there.
chmodSync(folder, 0o1777);
const records: TestRecord[] = [];
try {
  for (const part of parts) if (!stopped.signal.aborted) records.push(...(await runPart(part, folder, stopped.signal)));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
printSummary(summarise(records, summaryOptions()));
if (stopped.signal.aborted) process.exitCode = 143;
