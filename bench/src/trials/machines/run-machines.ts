import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetUpError } from '@chiffchaff/cli';
import { isPostgresInstalled } from '@chiffchaff/server/testing/start-postgres';
import { isS3Installed } from '@chiffchaff/server/testing/start-s3';
import type { TrialResult } from '../trial-result.ts';
import type { FaultsOptions } from './faults.ts';

type Say = (line: string) => void;

const parts = {
  journey: async (_options: FaultsOptions, say: Say) => (await import('./journey.ts')).runJourney(say),
  away: async (_options: FaultsOptions, say: Say) => (await import('./away.ts')).runAway(say),
  move: async (_options: FaultsOptions, say: Say) => (await import('./move.ts')).runMove(say),
  scaling: async (_options: FaultsOptions, say: Say) => (await import('./scaling.ts')).runScaling(say),
  faults: async (options: FaultsOptions, say: Say) => (await import('./faults.ts')).runFaults(options, say),
} satisfies Record<string, (options: FaultsOptions, say: Say) => Promise<TrialResult>>;

export type MachinesPart = keyof typeof parts;
export const MACHINES_PARTS = Object.keys(parts) as readonly MachinesPart[];

/**
 * Runs web and worker machines, PostgreSQL and an S3 server as processes of this machine. A part that throws does not prevent the others
 * from running.
 *
 * @throws SetUpError where PostgreSQL or the S3 server is not installed
 */
export async function runMachines(names: readonly MachinesPart[], options: FaultsOptions, say: Say): Promise<TrialResult> {
  if (!isPostgresInstalled()) throw new SetUpError('This trial needs PostgreSQL 15 (Debian: postgresql).');
  if (!isS3Installed()) throw new SetUpError('This trial needs an S3 server: npm run test:engines downloads one.');
  // Each machine adds an exit listener, to end with this process.
  process.setMaxListeners(0);
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-machines-'));
  // PostgreSQL runs as another user.
  await chmod(folder, 0o755);
  process.env.TMPDIR = folder;
  try {
    const report: Record<string, unknown> = {};
    let passed = true;
    for (const name of names) {
      say(`— ${name}`);
      const result = await parts[name](options, say).catch((error: unknown): TrialResult => {
        const stack = (error instanceof Error ? error.stack : undefined) ?? String(error);
        say(stack);
        return { report: stack, passed: false };
      });
      report[name] = result.report;
      passed &&= result.passed;
      say(`${result.passed ? '✓' : '✗'} ${name}`);
    }
    return { report, passed };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
