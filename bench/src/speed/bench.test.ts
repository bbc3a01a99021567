import { spawn } from 'node:child_process';
import { UsageError } from '@chiffchaff/cli';
import { readOptions } from '@chiffchaff/cli/testing';
import { expect, it } from 'vitest';
import { startProgram } from './child-program.ts';
import { readMachineFacts } from './machine.ts';
import { benchCommand, PARTS } from './options.ts';
import { readProcessTreeBytes } from './process-memory.ts';
import { median, percentile } from './quantiles.ts';

it('takes the middle of an odd and of an even number of values', () => {
  expect(median([3, 1, 100])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

it('takes the value that 95 % do not exceed', () => {
  expect(
    percentile(
      Array.from({ length: 40 }, (_, i) => i + 1),
      0.95,
    ),
  ).toBe(38);
  expect(percentile([7], 0.95)).toBe(7);
});

it('measures every part unless told which', () => {
  expect(readOptions(benchCommand, [])).toEqual({ parts: PARTS, json: false, quick: false, recording: null });
  expect(readOptions(benchCommand, ['--only', 'http,clips', '--quick', '--json'])).toMatchObject({
    parts: ['clips', 'http'],
    quick: true,
    json: true,
  });
  expect(() => readOptions(benchCommand, ['--only', 'speed'])).toThrow(UsageError);
});

it('tells what it measures on', () => {
  expect(readMachineFacts()).toMatchObject({ node: process.version, onnxRuntime: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

it('counts the memory of a process with its children', async ({ skip }) => {
  const alone = await readProcessTreeBytes(process.pid);
  if (alone === null) return skip('the system has no /proc');
  expect(alone).toBeGreaterThan(10e6);
  const child = spawn(process.execPath, [
    '-e',
    'const kept = Buffer.alloc(1e8, 1); console.log("kept"); setInterval(() => kept, 1e6)',
  ]);
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const ofChild = await readProcessTreeBytes(child.pid ?? 0);
    expect(ofChild).toBeGreaterThan(1e8);
    expect(await readProcessTreeBytes(process.pid)).toBeGreaterThan(ofChild ?? 0);
  } finally {
    child.kill('SIGKILL');
  }
});

it('says why a program that should answer has ended', async () => {
  const program = startProgram(process.execPath, ['-e', 'console.error("no such model"); process.exit(4)'], {
    signal: new AbortController().signal,
  });
  await expect(program.nextLine()).rejects.toThrow('no such model');
  expect(await program.ended).toBe(4);
});

it('stops a program when the work is cancelled', async () => {
  const cancelling = new AbortController();
  const program = startProgram(process.execPath, ['-e', 'console.log("ready"); setInterval(() => 0, 1e6)'], {
    signal: cancelling.signal,
  });
  await program.nextLine();
  cancelling.abort();
  expect(await program.ended).toBeNull();
});
