import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { EvidenceCheckpoint } from './detection/evidence/evidence-collector.ts';
import { createRecognizer } from './recognizer.ts';
import { fakeClip, fakeModel, fakeRunner } from './testing/fake-model.ts';

const model = fakeModel([
  ['Turdus merula', 'bird'],
  ['Pica pica', 'bird'],
  ['Engine', 'nonEvent'],
]);

/** A fake model: a label's logit depends only on the clip's samples. */
function listen(samples: Float32Array, outputs: Float32Array): void {
  const sum = samples.reduce((total, sample) => total + sample, 0);
  outputs[0] = (sum % 7) - 3;
  outputs[1] = (sum % 5) - 6;
  outputs[2] = -10;
}

async function* inChunks(samples: Float32Array, size: number): AsyncGenerator<Float32Array, void> {
  for (let from = 0; from < samples.length; from += size) yield samples.subarray(from, from + size);
}

const ramp = (length: number): Float32Array => Float32Array.from({ length }, (_, index) => (index * 13) % 29);

describe('The recognizer', () => {
  it('collects the same evidence however the samples are divided and in whatever order clips finish', async () => {
    const whole = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 7 }),
        async (length, chunkSize, delays) => {
          let clip = 0;
          const late = fakeRunner(model, async (samples, outputs) => {
            // Late by this many microtasks, as if another thread had been faster.
            for (let turns = delays[clip++ % delays.length] ?? 0; turns > 0; turns--) await Promise.resolve();
            listen(samples, outputs);
          });
          const streaming = createRecognizer({ ...model, runner: late });
          expect(await streaming.collectEvidence(inChunks(ramp(length), chunkSize))).toEqual(
            await whole.collectEvidence(inChunks(ramp(length), length)),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('gives the model no more clips at a time than the model allows', async () => {
    const runner = fakeRunner(model, listen);
    await createRecognizer({ ...model, runner }).collectEvidence(inChunks(ramp(600), 600));
    expect(runner.mostInFlight).toBe(3);
    expect(runner.openJobs).toBe(0);
  });

  it('reports a clip as soon as it has been analysed, however slowly samples arrive', async () => {
    const told: number[] = [];
    const toldMeanwhile: number[] = [];
    async function* live() {
      yield ramp(fakeClip.clipSamples);
      for (let pieces = 0; pieces < 3; pieces += 1) {
        await new Promise((resolve) => setTimeout(resolve));
        yield ramp(1);
      }
      toldMeanwhile.push(...told);
    }
    const recognizer = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    await recognizer.collectEvidence(live(), { onProgress: ({ analysedClips }) => told.push(analysedClips) });
    expect(toldMeanwhile).toEqual([1]);
  });

  it('reads samples no faster than the model analyses them', async () => {
    let pulled = 0;
    async function* source() {
      for (; pulled < 1000; pulled++) yield ramp(fakeClip.stepSamples);
    }
    const never = new Promise<void>(() => undefined);
    const runner = fakeRunner(model, () => never);
    const controller = new AbortController();
    const evidence = createRecognizer({ ...model, runner }).collectEvidence(source(), { signal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(pulled).toBeLessThan(8);
    // Only the runner ends running clips, and this one never does, so the promise is not awaited.
    evidence.catch(() => undefined);
  });

  it('reports its progress clip by clip, up to the end of the recording', async () => {
    const onProgress = vi.fn();
    const recognizer = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    await recognizer.collectEvidence(inChunks(ramp(16), 5), { onProgress });
    expect(onProgress.mock.calls.map(([progress]) => progress)).toMatchObject([
      { analysedClips: 1, analysedSeconds: 3 },
      { analysedClips: 2, analysedSeconds: 4.5 },
      { analysedClips: 3, analysedSeconds: 6 },
      { analysedClips: 4, analysedSeconds: 7.5 },
      { analysedClips: 5, analysedSeconds: 8 },
    ]);
  });

  it('reports the detections found so far, with the same times as in the prediction', async () => {
    const told: { analysedClips: number; detections: unknown[] }[] = [];
    const recognizer = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    const evidence = await recognizer.collectEvidence(inChunks(ramp(60), 7), {
      clipStepSeconds: 3,
      minScore: 0.5,
      onProgress: ({ analysedClips, detectionsSoFar }) => told.push({ analysedClips, detections: detectionsSoFar() }),
    });
    const { detections } = recognizer.conclude(evidence, { occurrence: null, minScore: 0.5 });
    expect(detections.length).toBeGreaterThan(2);
    expect(told.at(-1)?.detections).toEqual(detections.map(({ confidence: _, hidden: __, occurrence: ___, ...early }) => early));
    expect(told[3]?.detections.length).toBeLessThan(detections.length);
  });

  it('resumes from any checkpoint with the same evidence, and analyses no clip twice', async () => {
    const samples = ramp(5000);
    const checkpoints: EvidenceCheckpoint[] = [];
    const whole = await createRecognizer({ ...model, runner: fakeRunner(model, listen) }).collectEvidence(inChunks(samples, 77), {
      onCheckpoint: async (checkpoint) => void checkpoints.push(structuredClone(checkpoint)),
    });
    const clips = whole.clips.offsets.length - 1;
    expect(checkpoints).toHaveLength(Math.floor(clips / 400));
    for (let kept = 0; kept <= checkpoints.length; kept++) {
      let analysed = 0;
      const runner = fakeRunner(model, (clip, outputs) => {
        analysed += 1;
        listen(clip, outputs);
      });
      const recognizer = createRecognizer({ ...model, runner });
      const added: EvidenceCheckpoint[] = [];
      let last: unknown[] = [];
      const resumed = await recognizer.collectEvidence(inChunks(samples, 91), {
        resumeFrom: checkpoints.slice(0, kept),
        onCheckpoint: async (checkpoint) => void added.push(structuredClone(checkpoint)),
        onProgress: ({ detectionsSoFar, analysedClips }) => {
          if (analysedClips === clips) last = detectionsSoFar();
        },
      });
      expect(resumed).toEqual(whole);
      expect(analysed).toBe(clips - kept * 400);
      expect(added).toEqual(checkpoints.slice(kept));
      expect(last).toHaveLength(recognizer.conclude(whole, { occurrence: null }).detections.length);
    }
  });

  it('refuses a checkpoint that was made with another clip step', async () => {
    const recognizer = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    const checkpoints: EvidenceCheckpoint[] = [];
    const onCheckpoint = async (checkpoint: EvidenceCheckpoint): Promise<void> => void checkpoints.push(checkpoint);
    await recognizer.collectEvidence(inChunks(ramp(1300), 100), { onCheckpoint });
    const collected = recognizer.collectEvidence(inChunks(ramp(10), 10), { resumeFrom: checkpoints, clipStepSeconds: 3 });
    await expect(collected).rejects.toMatchObject({ code: 'EVIDENCE_UNREADABLE' });
  });

  it('cuts a recording into clips that begin one requested clip step apart', async () => {
    const recognizer = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    const evidence = await recognizer.collectEvidence(inChunks(ramp(24), 24), { clipStepSeconds: 3 });
    expect(evidence.clipStepSamples).toBe(6);
    expect(evidence.clips.offsets).toHaveLength(5);
  });

  it('counts the silent samples of a recording, so that the check-up calls it silent', async () => {
    const recognizer = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    const evidence = await recognizer.collectEvidence(inChunks(new Float32Array(50), 7));
    expect(evidence).toMatchObject({ silentSamples: 50, sampleCount: 50 });
    expect(recognizer.conclude(evidence, { occurrence: null }).checkUp).toEqual([{ code: 'SILENT', share: 1 }]);
  });

  it('stops when it is cancelled, even while it waits for samples', async () => {
    const controller = new AbortController();
    const returned = vi.fn();
    const source: AsyncIterable<Float32Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => undefined),
        return: async () => {
          returned();
          return { done: true, value: undefined };
        },
      }),
    };
    const runner = fakeRunner(model, listen);
    const evidence = createRecognizer({ ...model, runner }).collectEvidence(source, { signal: controller.signal });
    controller.abort();
    await expect(evidence).rejects.toMatchObject({ name: 'AbortError' });
    expect(returned).toHaveBeenCalledOnce();
    expect(runner.openJobs).toBe(0);
  });

  it('does not begin if its signal is already cancelled', async () => {
    const runner = fakeRunner(model, listen);
    const reason = new Error('not any more');
    const evidence = createRecognizer({ ...model, runner }).collectEvidence(inChunks(ramp(50), 5), {
      signal: AbortSignal.abort(reason),
    });
    await expect(evidence).rejects.toBe(reason);
  });

  it('saves a checkpoint when it is cancelled, and resumes from it with the same evidence', async () => {
    const recognizer = createRecognizer({ ...model, runner: fakeRunner(model, listen) });
    const whole = await recognizer.collectEvidence(inChunks(ramp(100), 5));
    const controller = new AbortController();
    const reason = new Error('make room');
    const found: EvidenceCheckpoint[] = [];
    const broken = recognizer.collectEvidence(inChunks(ramp(100), 5), {
      signal: controller.signal,
      onCheckpoint: async (checkpoint) => void found.push(structuredClone(checkpoint)),
      onProgress({ analysedClips }) {
        if (analysedClips === 4) controller.abort(reason);
      },
    });
    await expect(broken).rejects.toBe(reason);
    expect(found.map(({ clipCount }) => clipCount)).toEqual([4]);
    const progress: number[] = [];
    const resumed = await recognizer.collectEvidence(inChunks(ramp(100), 5), {
      resumeFrom: found,
      onProgress: ({ analysedClips }) => progress.push(analysedClips),
    });
    expect(progress[0]).toBe(5);
    expect(resumed).toEqual(whole);
  });

  it('rejects with the reason of the cancellation even if its checkpoint cannot be saved', async () => {
    const controller = new AbortController();
    const reason = new Error('make room');
    const evidence = createRecognizer({ ...model, runner: fakeRunner(model, listen) }).collectEvidence(inChunks(ramp(100), 5), {
      signal: controller.signal,
      onCheckpoint: () => Promise.reject(new Error('the disk is full')),
      onProgress: () => controller.abort(reason),
    });
    await expect(evidence).rejects.toBe(reason);
  });

  it('passes on an error of the stream of samples, and closes its job', async () => {
    const broken = new Error('the recording is damaged');
    async function* source() {
      yield ramp(20);
      throw broken;
    }
    const runner = fakeRunner(model, listen);
    await expect(createRecognizer({ ...model, runner }).collectEvidence(source())).rejects.toBe(broken);
    expect(runner.openJobs).toBe(0);
  });

  it('passes on an error of the model, and closes its job', async () => {
    const broken = new Error('the model failed');
    let clip = 0;
    const runner = fakeRunner(model, async () => {
      if (++clip === 4) throw broken;
    });
    const evidence = createRecognizer({ ...model, runner }).collectEvidence(inChunks(ramp(300), 300));
    await expect(evidence).rejects.toBe(broken);
    expect(runner.openJobs).toBe(0);
  });
});
