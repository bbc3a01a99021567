/** `npm run dev`: restarts the server when its sources change and reloads the page; both end together. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './process.ts';

const start = (program: string, args: readonly string[], folder: string): ChildProcess =>
  spawn(program, args, { cwd: join(root, folder), stdio: 'inherit' });

const children = [start('node', ['--watch', 'src/main.ts'], 'apps/server'), start('node_modules/.bin/vite', [], 'apps/web')];

function stopAll(): void {
  for (const child of children) child.kill('SIGTERM');
}

process.on('SIGTERM', stopAll);
// On Ctrl-C the terminal signals the children itself; this process only has to outlive them.
process.on('SIGINT', () => {});
for (const child of children) child.on('exit', stopAll);
