import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'vitest';

it('never ends, and has started a program that does not end with it', async () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  process.stdout.write(`waits with ${child.pid}\n`);
  await new Promise(() => {});
});
