import { createClipCutter, PIECE_SAMPLES } from './audio/clips.ts';
import { createSilenceMeter } from './audio/silence.ts';
import { createSteadyNoiseTest } from './audio/steady-noise.ts';
import { type CancelSignal, cancellable, throwIfCancelled } from './cancel-signal.ts';
import { logOdds, sigmoid } from './detection/activation.ts';
import type { Answer, AnswerConditions, AnswerDetection } from './detection/answer.ts';
import { createEarlyRunTracker } from './detection/clip-runs.ts';
import { conclude } from './detection/conclude.ts';
import type { Evidence } from './detection/evidence/evidence.ts';
import { createEvidenceCollector, type EvidenceCheckpoint, evidenceDetail } from './detection/evidence/evidence-collector.ts';
import { createRunningAnswer, type RunningAnswer } from './detection/running-answer.ts';
import type { ModelKnowledge } from './model/labels.ts';
import type { ClipRunner, ClipSlot } from './model/session.ts';

export interface CollectOptions {
  /** Seconds between the starts of clips, at most a clip's length. Default: the manifest's. */
  readonly clipStepSeconds?: number;
  readonly signal?: CancelSignal;
  /** Any string that identifies the recording's owner: owners take turns at the model. Default: an owner for this recording alone. */
  readonly owner?: string | undefined;
  /** Lowest score of the detections that `onProgress` can ask for. Default: the manifest's. */
  readonly minScore?: number;
  /** Most detections it gets; if there are more, the best. Default: all. */
  readonly mostDetections?: number | undefined;
  /** Checkpoints of an interrupted collection of the same samples. It continues there, and does not analyse their clips again. */
  readonly resumeFrom?: AsyncIterable<EvidenceCheckpoint> | Iterable<EvidenceCheckpoint> | undefined;
  /**
   * Called with a checkpoint for every ten minutes of the recording, and on cancellation. Awaited; save the checkpoint before
   * resolving, because its memory is reused.
   */
  readonly onCheckpoint?: ((checkpoint: EvidenceCheckpoint) => Promise<void>) | undefined;
  /** Called after every analysed clip, in order. */
  readonly onProgress?: ((progress: CollectProgress) => void) | undefined;
}

export interface CollectProgress {
  readonly analysedClips: number;
  /** end of the part that has been analysed */
  readonly analysedSeconds: number;
  /** Detections so far, by start; takes a millisecond per few thousand. Only valid during the callback. */
  detectionsSoFar(): EarlyDetection[];
  /** The answer as if the recording ended here; its cost does not grow with the recording. Only valid during the callback. */
  answerSoFar(conditions: AnswerConditions): RunningAnswer;
}

/** A detection before the end of the recording: its confidence is unknown, and it may become longer. */
export type EarlyDetection = Omit<AnswerDetection, 'confidence' | 'hidden' | 'occurrence' | 'kind'>;

/** At most this much of a recording is analysed again after an interruption. */
const CHECKPOINT_SECONDS = 600;

export type Recognizer = ReturnType<typeof createRecognizer>;

/**
 * Combines a model with the runner for it.
 *
 * @example
 * const recognizer = createRecognizer({ manifest, species, runner: await openWorkerPool({ modelFolder }) });
 * const evidence = await recognizer.collectEvidence(samples, { signal });
 * const answer = recognizer.conclude(evidence, { occurrence: null });
 */
export function createRecognizer({ runner, ...model }: ModelKnowledge & { readonly runner: ClipRunner }) {
  const { audio, defaults } = model.manifest;
  /** For all recordings: it keeps nothing from one clip to the next. */
  const steadinessOf = createSteadyNoiseTest();

  return {
    /** See `conclude`. */
    conclude: (evidence: Evidence, conditions: AnswerConditions): Answer => conclude(model, evidence, conditions),

    /**
     * Analyses a recording while it arrives. Reads only a few clips ahead of the model.
     *
     * @param samples mono, at the model's sample rate, −1…1 (any amplitude works)
     * @throws RecognizerError if the model fails; the signal's reason if cancelled; whatever `samples` throws
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
      let steadyClips = 0;
      let windyClips = 0;
      const runs = onProgress ? createEarlyRunTracker(logOdds(minScore), steps, mostDetections) : null;
      const collector = createEvidenceCollector(model, stepSamples, evidenceDetail, runs);
      if (resumeFrom) for await (const checkpoint of resumeFrom) collector.resume(checkpoint);
      const resumedClips = collector.clipCount;
      const { answerSoFar } = createRunningAnswer(model, collector);
      const clipsPerCheckpoint = Math.max(1, Math.round((CHECKPOINT_SECONDS * audio.sampleRate) / stepSamples));
      throwIfCancelled(signal);
      const job = runner.openJob(signal, owner);

      // Running clips, oldest first. They end in any order, but are read in this one.
      const inFlight: { readonly slot: ClipSlot; readonly done: Promise<void>; readonly isSteady: boolean; hasEnded: boolean }[] =
        [];
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
        collector.add(oldest.slot.outputs, oldest.isSteady);
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
          const steadiness = steadinessOf(slot.samples);
          if (steadiness === 'windy') windyClips += 1;
          else if (steadiness !== 'other') steadyClips += 1;
          if (passedClips < resumedClips) {
            passedClips += 1;
            job.release(slot);
            continue;
          }
          const running = { slot, done: job.run(slot), isSteady: steadiness === 'steady', hasEnded: false };
          const end = () => {
            running.hasEnded = true;
          };
          // A failure is thrown when the clip is read; until then this prevents an unhandled rejection.
          running.done.then(end, end);
          inFlight.push(running);
        }
      };

      try {
        for await (const chunk of cancellable(samples, signal)) {
          throwIfCancelled(signal);
          // A chunk may be the whole recording. In pieces, the cutter never holds much more than a clip.
          for (let from = 0; from < chunk.length; from += PIECE_SAMPLES) {
            const piece = chunk.subarray(from, from + PIECE_SAMPLES);
            silence.push(piece);
            cutter.push(piece);
            await runReadyClips();
            // Live audio arrives slowly: report finished clips at once.
            while (inFlight[0]?.hasEnded) await readOldest();
          }
        }
        cutter.end();
        await runReadyClips();
        while (inFlight.length > 0) await readOldest();
        throwIfCancelled(signal);
        return collector.finish({ sampleCount: cutter.sampleCount, silentSamples: silence.end(), steadyClips, windyClips });
      } catch (error) {
        // The job may only give way to others, so save its progress. If that fails, it resumes from the previous checkpoint.
        if (signal?.aborted) await save().catch(() => undefined);
        throw error;
      } finally {
        job.close();
      }
    },
  };
}
