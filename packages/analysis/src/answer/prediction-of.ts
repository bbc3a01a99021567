import type { FileNote, Prediction, Recording } from '@chiffchaff/contract';
import type { ModelManifest, SoundFinding } from '@chiffchaff/recognizer';
import type { FormattedAnswer } from './format-answer.ts';
import type { Question } from './question.ts';
import { round, roundShare } from './rounding.ts';

type NamedModel = Pick<ModelManifest, 'id' | 'version' | 'licence' | 'attribution'> & {
  readonly audio: Pick<ModelManifest['audio'], 'weights'>;
};

/** A model as named in answers. */
export function modelOf({ id, version, audio, licence, attribution }: NamedModel): Prediction['model'] {
  // Models that are trained further have the same graph.
  return { id, version, sha256: audio.weights.sha256, licence, attribution };
}

/** The parts of a prediction. */
interface PredictionParts extends Pick<Prediction, 'id' | 'createdAt' | 'model' | 'timings'> {
  readonly recording: Recording;
  /** Share of a recording that ended early which is missing; 0 when unknown. */
  readonly missingShare: number;
  readonly notes?: readonly FileNote[] | undefined;
  readonly question: Question;
  readonly soundFindings: readonly SoundFinding[];
  readonly worded: FormattedAnswer;
}

/** Assembles the prediction of one recording. */
export function predictionOf(parts: PredictionParts): Prediction {
  const { recording, missingShare, notes = [], question, soundFindings, worded, ...rest } = parts;
  const endedEarly = { code: 'ENDED_EARLY', share: round(missingShare) } as const;
  return {
    ...rest,
    recording: { ...recording, durationSeconds: round(recording.durationSeconds) },
    conditions: question.conditions,
    ...worded,
    checkUp: [
      ...(recording.truncated ? [endedEarly] : []),
      ...soundFindings.map(roundShare),
      ...worded.checkUp,
      ...notes.map((code) => ({ code, share: 1 })),
    ],
  };
}
