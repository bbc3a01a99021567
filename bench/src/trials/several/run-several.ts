import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SetUpError } from '@chiffchaff/cli';
import type { TrialResult } from '../trial-result.ts';
import { machineNames } from './cluster.ts';
import { folderOf, makeNetwork, openNetwork, removeNetwork, whyNoNetwork } from './network.ts';
import type { ProgramMessage, SeveralOptions } from './several-program.ts';

const program = fileURLToPath(new URL('./several-program.ts', import.meta.url));

/**
 * Creates the machines, runs the trial on one of them, and removes everything however it ends: processes are found by their machine.
 *
 * @throws SetUpError where such machines cannot be created
 */
export async function runSeveral(options: SeveralOptions, say: (line: string) => void): Promise<TrialResult> {
  const reason = whyNoNetwork();
  if (reason !== null) throw new SetUpError(reason);
  const clean = (): void => removeNetwork(process.pid);
  process.once('exit', clean);
  try {
    makeNetwork(machineNames);
    return await runOnLoad(options, say);
  } finally {
    process.off('exit', clean);
    clean();
  }
}

function runOnLoad(options: SeveralOptions, say: (line: string) => void): Promise<TrialResult> {
  const [command = '', ...words] = openNetwork(process.pid, machineNames).prefixOf('load');
  const child: ChildProcess = spawn(
    command,
    [...words, process.execPath, ...process.execArgv, program, String(process.pid), JSON.stringify(options)],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, TMPDIR: folderOf(process.pid) } },
  );
  return new Promise((resolve, reject) => {
    child.on('message', (told: ProgramMessage) => {
      if ('line' in told) say(told.line);
      else resolve(told.result);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`The trial ended with ${signal ?? code}`)));
  });
}
