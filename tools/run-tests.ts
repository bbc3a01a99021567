import { spawn } from 'node:child_process';
import { root } from './process.ts';
import { RECORD_FILE, readRecords, recordPart, writeRecord } from './test-record.ts';

export interface TestRun {
  /** Name of this part in the summary. */
  readonly name: string;
  /** Projects in `vitest.config.ts`. */
  readonly projects: readonly string[];
  /** Further arguments for vitest, such as paths. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** File for the records (`test-record.ts`). */
  readonly recordFile: string;
}

/** Runs vitest, shows its output, and records results and time. Resolves even if tests fail. */
export async function runTests({ name, projects, args = [], environment = {}, recordFile }: TestRun): Promise<void> {
  const chosen = projects.flatMap((project) => ['--project', project]);
  const failuresSoFar = countFailures(recordFile);
  const code = await recordPart(
    recordFile,
    name,
    () =>
      new Promise<number>((resolve, reject) => {
        const child = spawn('vitest', ['run', ...chosen, '--reporter=default', '--reporter=./tools/test-reporter.ts', ...args], {
          cwd: root,
          stdio: 'inherit',
          env: { ...process.env, ...environment, [RECORD_FILE]: recordFile },
        });
        child.on('error', reject);
        child.on('close', (status) => resolve(status ?? 1));
      }),
  );
  // vitest may fail without a failed test: it found none, or its configuration is wrong.
  if (code !== 0 && countFailures(recordFile) === failuresSoFar)
    writeRecord(recordFile, {
      kind: 'result',
      file: '',
      test: name,
      state: 'failed',
      reason: `vitest ended with status ${code}`,
    });
}

function countFailures(recordFile: string): number {
  return readRecords(recordFile).filter((record) => record.kind === 'result' && record.state === 'failed').length;
}
