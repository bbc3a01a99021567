import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const run = promisify(execFile);

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'chiffchaff-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Starts a worker in a separate process, whose environment must not show that this is a test: the runtime would send nothing then. */
async function startWorkerAtHome(): Promise<string> {
  const thread = new URL('./worker-thread.ts', import.meta.url).href;
  await writeFile(join(home, 'model.onnx'), 'no model');
  const script = `
    import { startWorkerThread } from ${JSON.stringify(thread)};
    const setUp = { folder: ${JSON.stringify(home)}, audio: { file: 'model.onnx' }, occurrence: null, labelCount: 1, maxBatchClips: 1 };
    const worker = startWorkerThread({ ...setUp, audio: { ...setUp.audio, clipSamples: 1 } }, {
      onReply: ({ kind }) => { console.log(kind); void worker.close(); },
      onGone: (reason) => console.log(reason),
    });`;
  await writeFile(join(home, 'start.mjs'), script);
  const env = { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home };
  const { stdout } = await run(process.execPath, [join(home, 'start.mjs')], { env });
  return stdout.trim();
}

it('ONNX Runtime sends no telemetry and leaves no file in the home folder by which it could be recognised', async () => {
  expect(await startWorkerAtHome()).toBe('unreadable');
  expect(await readdir(home)).toEqual(['model.onnx', 'start.mjs']);
});
