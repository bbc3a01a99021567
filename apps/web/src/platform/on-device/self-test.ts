import type { OnDeviceModel } from '@chiffchaff/contract';
import { openModel } from './open-model.ts';
import { expectedOutputs, heardRight, testSound } from './test-sound.ts';

const TIMED_CLIPS = 3;

/**
 * Runs a known clip on this device, compares the outputs with the expected ones, then measures the speed.
 *
 * @returns milliseconds per clip
 * @throws Error when the outputs are wrong or the device cannot run the model
 */
export async function tryDevice(cache: Cache, model: OnDeviceModel): Promise<number> {
  const { knowledge, runner } = await openModel(cache, model);
  try {
    const { audio } = knowledge.manifest;
    const job = runner.openJob();
    const slot = job.take();
    slot.samples.set(testSound(audio.clipSamples, audio.sampleRate));
    await job.run(slot);
    if (!heardRight(slot.outputs, expectedOutputs[audio.weights.sha256])) {
      throw new Error('This device does not give the scores that it should');
    }
    const started = performance.now();
    for (let clip = 0; clip < TIMED_CLIPS; clip++) await job.run(slot);
    return (performance.now() - started) / TIMED_CLIPS;
  } finally {
    runner.close();
  }
}
