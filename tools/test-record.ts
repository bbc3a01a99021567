/**
 * The record of a test run: one line of JSON per event, written as it happens, so that even an interrupted run shows what it was
 * doing. The reporter and the commands write it, and the summary reads it.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const testRecordSchema = z.discriminatedUnion('kind', [
  /** A file is being loaded, or, if `test` is not empty, that test is running. */
  z.object({ kind: z.literal('started'), file: z.string(), test: z.string() }),
  /** All tests of a file have run. */
  z.object({ kind: z.literal('finished'), file: z.string() }),
  z.object({
    kind: z.literal('result'),
    /** Empty for results that belong to no file. */
    file: z.string(),
    /** Empty if the file itself failed. */
    test: z.string(),
    /** `unstable`: passed, but not on the first attempt. */
    state: z.enum(['passed', 'failed', 'skipped', 'unstable']),
    /** Why it failed (at first, if unstable) or was skipped, in one line. */
    reason: z.string(),
  }),
  /** A process that a part left running; it was killed. */
  z.object({ kind: z.literal('leftover'), line: z.string() }),
  /** A part of the run has ended. */
  z.object({ kind: z.literal('part'), name: z.string(), seconds: z.number() }),
]);
export type TestRecord = z.infer<typeof testRecordSchema>;

/** The environment variable with the path of the record file. */
export const RECORD_FILE = 'TEST_RECORD_FILE';

export function writeRecord(file: string, record: TestRecord): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All complete records; none if the file does not exist. */
export function readRecords(file: string): TestRecord[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => testRecordSchema.parse(JSON.parse(line)));
}

/** Runs `work` with the file in TEST_RECORD_FILE, or with a temporary one that is removed afterwards. */
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

/** Runs a part and records how long it took, even if it fails. */
export async function recordPart<T>(file: string, name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    writeRecord(file, { kind: 'part', name, seconds: Math.round((performance.now() - start) / 1000) });
  }
}
