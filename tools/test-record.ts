/**
 * What a run of tests leaves behind as it goes: one line of JSON for each thing that happened, so that a run that is stopped half-way
 * still tells what it was doing. Written by the reporter and the commands, read by the summary.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const testRecordSchema = z.discriminatedUnion('kind', [
  /** A file is being loaded, or (with a name) one of its tests runs. */
  z.object({ kind: z.literal('started'), file: z.string(), test: z.string() }),
  /** All tests of a file have run. */
  z.object({ kind: z.literal('finished'), file: z.string() }),
  z.object({
    kind: z.literal('result'),
    /** Empty for what belongs to no file. */
    file: z.string(),
    /** Empty when the file itself failed. */
    test: z.string(),
    /** `unstable`: passed, but not at the first try. */
    state: z.enum(['passed', 'failed', 'skipped', 'unstable']),
    /** Why it failed, at first or for good, or why it was skipped: one line. */
    reason: z.string(),
  }),
  /** A process that a part did not end; it was killed. */
  z.object({ kind: z.literal('leftover'), line: z.string() }),
  /** A part of the run is over. */
  z.object({ kind: z.literal('part'), name: z.string(), seconds: z.number() }),
]);
export type TestRecord = z.infer<typeof testRecordSchema>;

/** The environment variable that names the file for records. */
export const RECORD_FILE = 'TEST_RECORD_FILE';

export function writeRecord(file: string, record: TestRecord): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** Everything that was written whole; nothing if there is no such file. */
export function readRecords(file: string): TestRecord[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => testRecordSchema.parse(JSON.parse(line)));
}

/** Runs `work` with the file that TEST_RECORD_FILE names, or with one of its own that is removed afterwards. */
export async function withRecordFile<T>(work: (file: string) => Promise<T>): Promise<T> {
  const given = process.env[RECORD_FILE];
  if (given) return work(given);
  const folder = mkdtempSync(join(tmpdir(), 'chiffchaff-test-'));
  try {
    return await work(join(folder, 'records.jsonl'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a part and records how long it took, also when it fails. */
export async function recordPart<T>(file: string, name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    writeRecord(file, { kind: 'part', name, seconds: Math.round((performance.now() - start) / 1000) });
  }
}
