/** The parts of `npm run trial -- machines`, which run one after the other. */
import { chmod, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetUpError } from '@chiffchaff/cli';
import { isPostgresInstalled } from '@chiffchaff/server/testing/start-postgres';
import { isS3Installed } from '@chiffchaff/server/testing/start-s3';
import type { TrialResult } from '../trial-result.ts';
import type { PartOptions } from './machines.ts';

type Part = (options: PartOptions) => Promise<TrialResult>;

const parts = {
  away: async (options) => (await import('./away.ts')).runAway(options),
  move: async (options) => (await import('./move.ts')).runMove(options),
  scaling: async (options) => (await import('./scaling.ts')).runScaling(options),
  faults: async (options) => (await import('./faults.ts')).runFaults(options),
} satisfies Record<string, Part>;

export type MachinesPart = keyof typeof parts;
export const MACHINES_PARTS = Object.keys(parts) as readonly MachinesPart[];

/**
 * Runs web and worker machines, PostgreSQL and an S3 server as processes of this machine. A part that throws does not prevent the others
 * from running.
 *
 * @throws SetUpError where PostgreSQL or the S3 server is not installed
 */
export async function runMachines(names: readonly MachinesPart[], options: PartOptions): Promise<TrialResult> {
  const { say } = options;
  if (!isPostgresInstalled()) throw new SetUpError('This trial needs PostgreSQL 15 (Debian: postgresql).');
  if (!isS3Installed()) throw new SetUpError('This trial needs an S3 server: npm run test:engines downloads one.');
  // Each machine adds an exit listener, to end with this process.
  process.setMaxListeners(0);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-machines-'));
  // PostgreSQL runs as another user.
  await chmod(folder.path, 0o755);
  process.env.TMPDIR = folder.path;
  const report: Record<string, unknown> = {};
  let passed = true;
  for (const name of names) {
    say(`— ${name}`);
    const part: Part = parts[name];
    const result = await part(options).catch((error: unknown): TrialResult => {
      const stack = (error instanceof Error ? error.stack : undefined) ?? String(error);
      say(stack);
      return { report: stack, passed: false };
    });
    report[name] = result.report;
    passed &&= result.passed;
    say(`${result.passed ? '✓' : '✗'} ${name}`);
  }
  return { report, passed };
}
