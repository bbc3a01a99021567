import { UsageError } from '@chiffchaff/cli';
import { readOptions } from '@chiffchaff/cli/testing';
import { expect, it } from 'vitest';
import { startProgram } from './child-program.ts';
import { readMachineFacts } from './machine.ts';
import { benchCommand, PARTS } from './options.ts';

it('measures every part unless told which', () => {
  expect(readOptions(benchCommand, [])).toEqual({ parts: PARTS, json: false, quick: false, recording: null, python: 'python3' });
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
