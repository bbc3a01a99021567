import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { readTreeMemory } from './processes.ts';

it.skipIf(process.platform !== 'linux')(
  'The memory of a process measured by a benchmark includes that of its children',
  async () => {
    expect(readTreeMemory(process.pid)).toBeGreaterThan(10e6);
    const child = spawn(process.execPath, [
      '-e',
      'const kept = Buffer.alloc(1e8, 1); console.log("kept"); setInterval(() => kept, 1e6)',
    ]);
    try {
      await once(child.stdout, 'data');
      const ofChild = readTreeMemory(child.pid ?? 0);
      expect(ofChild).toBeGreaterThan(1e8);
      expect(readTreeMemory(process.pid)).toBeGreaterThan(ofChild);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
