import { createClipCutter, PIECE_SAMPLES } from './audio/clips.ts';
import { createSilenceMeter } from './audio/silence.ts';
import { type CancelSignal, cancellable, throwIfCancelled } from './cancel-signal.ts';
import { logOdds, sigmoid } from './detection/activation.ts';
import type { Answer, AnswerConditions, AnswerDetection } from './detection/answer.ts';
import { conclude } from './detection/conclude.ts';
import type { Evidence } from './detection/evidence/evidence.ts';
import { createEvidenceCollector, type EvidenceCheckpoint, evidenceDetail } from './detection/evidence/evidence-collector.ts';
import { createRunningAnswer, type RunningAnswer } from './detection/running-answer.ts';
import { createRunTracker } from './detection/runs.ts';
import type { ModelKnowledge } from './model/labels.ts';
import type { ClipRunner, ClipSlot } from './model/session.ts';

export interface CollectOptions {
  /** Seconds between the starts of clips, at most a clip. Default: the manifest's. */
  readonly clipStepSeconds?: number;
  readonly signal?: CancelSignal;
  /** Whose recording it is, in any words: owners take turns at the model. Default: an owner of its own. */
  readonly owner?: string | undefined;
  /** Lowest score of the detections that `onProgress` can ask for. Default: the manifest's. */
  readonly minScore?: number;
  /** How many of them it is given at most: of more, the best. Default: all. */
  readonly mostDetections?: number | undefined;
  /** Checkpoints of a collection of the same samples that was broken off: it goes on there, and its clips are not analysed again. */
  readonly resumeFrom?: AsyncIterable<EvidenceCheckpoint> | Iterable<EvidenceCheckpoint> | undefined;
  /** Given what to resume from, to be written at once: for every ten minutes of the recording, and when it is cancelled. It is waited for. */
  readonly onCheckpoint?: ((checkpoint: EvidenceCheckpoint) => Promise<void>) | undefined;
  /** After every clip that has been analysed, in order. */
  readonly onProgress?: ((progress: CollectProgress) => void) | undefined;
}

export interface CollectProgress {
  readonly analysedClips: number;
  /** how far into the recording every clip has been analysed */
  readonly analysedSeconds: number;
  /** What has been detected so far, by start; costs a millisecond per some thousand detections. Call it at once or not at all. */
  detectionsSoFar(): EarlyDetection[];
  /** The answer as if the recording ended here, at a cost that does not grow with it. Call it at once or not at all. */
  answerSoFar(conditions: AnswerConditions): RunningAnswer;
}

/** A detection before the recording has ended: its confidence is not known, and it may go on. */
export type EarlyDetection = Omit<AnswerDetection, 'confidence' | 'hidden' | 'occurrence'>;

/** So much of a recording is analysed again at most when it is taken up after a break. */
const CHECKPOINT_SECONDS = 600;

export type Recognizer = ReturnType<typeof createRecognizer>;

/**
 * One model, and what runs it.
 *
 * @example
 * const recognizer = createRecognizer({ manifest, species, runner: await createWorkerPool({ modelFolder }) });
 * const evidence = await recognizer.collectEvidence(samples, { signal });
 * const answer = recognizer.conclude(evidence, { occurrence: null });
 */
export function createRecognizer({ runner, ...model }: ModelKnowledge & { readonly runner: ClipRunner }) {
  const { audio, defaults } = model.manifest;

  return {
    /** See `conclude`. */
    conclude: (evidence: Evidence, conditions: AnswerConditions): Answer => conclude(model, evidence, conditions),

    /**
     * Analyses a recording while it arrives. Takes no more of it than a few clips ahead of the model.
     *
     * @param samples mono, at the model's sample rate, −1…1 (any amplitude works)
     * @throws RecognizerError when the model fails; the signal's reason when cancelled; whatever `samples` throws
     */
    async collectEvidence(samples: AsyncIterable<Float32Array>, options: CollectOptions = {}): Promise<Evidence> {
      const { clipStepSeconds = defaults.clipStepSeconds, minScore = defaults.minScore } = options;
      const { signal, owner, resumeFrom, onCheckpoint, onProgress, mostDetections = Number.POSITIVE_INFINITY } = options;
      const stepSamples = Math.round(clipStepSeconds * audio.sampleRate);
      const steps = { ...audio, clipStepSamples: stepSamples };
      const cutter = createClipCutter({
        clipSamples: audio.clipSamples,
        stepSamples,
        minTailSamples: Math.round(defaults.minTailSeconds * audio.sampleRate),
      });
      const silence = createSilenceMeter();
      const runs = onProgress ? createRunTracker(logOdds(minScore), steps, mostDetections) : null;
      const collector = createEvidenceCollector(model, stepSamples, evidenceDetail, runs);
      if (resumeFrom) for await (const checkpoint of resumeFrom) collector.resume(checkpoint);
      const resumedClips = collector.clipCount;
      const { answerSoFar } = createRunningAnswer(model, collector);
      const clipsPerCheckpoint = Math.max(1, Math.round((CHECKPOINT_SECONDS * audio.sampleRate) / stepSamples));
      throwIfCancelled(signal);
      const job = runner.openJob(signal, owner);

      // Clips that run, oldest first: they end in any order and are read in theirs.
      const inFlight: { readonly slot: ClipSlot; readonly done: Promise<void>; hasEnded: boolean }[] = [];
      let analysedClips = resumedClips;
      let passedClips = 0;
      let savedClips = resumedClips;
      const save = async (): Promise<void> => {
        if (!onCheckpoint || collector.clipCount === savedClips) return;
        savedClips = collector.clipCount;
        await onCheckpoint(collector.checkpoint());
      };
      const readOldest = async (): Promise<void> => {
        const oldest = inFlight[0];
        if (!oldest) return;
        await oldest.done;
        inFlight.shift();
        throwIfCancelled(signal);
        collector.add(oldest.slot.outputs);
        job.release(oldest.slot);
        analysedClips += 1;
        const heard = Math.min((analysedClips - 1) * stepSamples + audio.clipSamples, cutter.sampleCount);
        if (analysedClips % clipsPerCheckpoint === 0) await save();
        onProgress?.({ analysedClips, analysedSeconds: heard / audio.sampleRate, detectionsSoFar, answerSoFar });
      };
      const secondsOf = (sample: number): number => Math.min(sample, cutter.sampleCount) / audio.sampleRate;
      const detectionsSoFar = (): EarlyDetection[] =>
        (runs?.best() ?? [])
          .map(({ label, firstClip, lastClip, peak }) => ({
            label,
            scientificName: model.species.labels[label]?.scientificName ?? '',
            startSeconds: secondsOf(firstClip * stepSamples),
            endSeconds: secondsOf(lastClip * stepSamples + audio.clipSamples),
            score: sigmoid(peak),
          }))
          .sort((a, b) => a.startSeconds - b.startSeconds || b.score - a.score || a.label - b.label);
      const runReadyClips = async (): Promise<void> => {
        for (;;) {
          if (inFlight.length >= job.maxClipsInFlight) await readOldest();
          const slot = job.take();
          if (!cutter.next(slot.samples)) {
            job.release(slot);
            return;
          }
          if (passedClips < resumedClips) {
            passedClips += 1;
            job.release(slot);
            continue;
          }
          const running = { slot, done: job.run(slot), hasEnded: false };
          const end = () => {
            running.hasEnded = true;
          };
          // A failure is thrown when the clip is read; until then it must not count as unhandled.
          running.done.then(end, end);
          inFlight.push(running);
        }
      };

      try {
        for await (const chunk of cancellable(samples, signal)) {
          throwIfCancelled(signal);
          // A chunk may be the whole recording: in pieces, the cutter never holds much more than a clip.
          for (let from = 0; from < chunk.length; from += PIECE_SAMPLES) {
            const piece = chunk.subarray(from, from + PIECE_SAMPLES);
            silence.push(piece);
            cutter.push(piece);
            await runReadyClips();
            // Sound may come as slowly as it is heard: what is known is told at once.
            while (inFlight[0]?.hasEnded) await readOldest();
          }
        }
        cutter.end();
        await runReadyClips();
        while (inFlight.length > 0) await readOldest();
        throwIfCancelled(signal);
        return collector.finish({ sampleCount: cutter.sampleCount, silentSamples: silence.end() });
      } catch (error) {
        // It may only make room for others. Where this cannot be saved, it goes on from the checkpoint before.
        if (signal?.aborted) await save().catch(() => undefined);
        throw error;
      } finally {
        job.close();
      }
    },
  };
}
