import { type Evidence, LOGIT_STEP } from '@chiffchaff/recognizer';

/** The evidence of a recording without clips. */
export const noEvidence: Evidence = {
  modelId: 'birdnet-v2.4',
  logitUnit: LOGIT_STEP,
  labelCount: 0,
  sampleRate: 48_000,
  clipSamples: 144_000,
  clipStepSamples: 72_000,
  sampleCount: 0,
  silentSamples: 0,
  steadyClips: 0,
  windyClips: 0,
  clips: {
    floor: -8,
    offsets: Uint32Array.of(0),
    labels: new Uint16Array(0),
    logits: new Int16Array(0),
    nonBirdPeaks: new Int16Array(0),
  },
  passages: {
    firstClips: new Uint32Array(0),
    clipCount: 0,
    offsets: Uint32Array.of(0),
    labels: new Uint16Array(0),
    means: new Int16Array(0),
    peaks: new Int16Array(0),
    zs: new Int16Array(0),
    meanFloors: new Float32Array(0),
    restWeights: new Float32Array(0),
  },
};

/** 16 clips, of which every fourth has all labels: more detections than an answer holds. */
export function denseEvidence(): Evidence {
  const [labelCount, clipCount] = [6522, 16];
  const heard = Uint16Array.from({ length: labelCount }, (_, label) => label);
  const rows = Array.from({ length: clipCount }, (_, clip) => (clip % 4 === 0 ? heard : new Uint16Array(0)));
  let end = 0;
  const labels = Uint16Array.from(rows.flatMap((row) => [...row]));
  return {
    ...noEvidence,
    labelCount,
    sampleCount: 72_000 * (clipCount + 1),
    clips: {
      floor: -8,
      offsets: Uint32Array.from([0, ...rows.map((row) => (end += row.length))]),
      labels,
      logits: Int16Array.from(labels, (label) => label % 1000),
      nonBirdPeaks: new Int16Array(clipCount),
    },
    passages: {
      ...noEvidence.passages,
      firstClips: Uint32Array.of(0),
      clipCount: 5,
      offsets: Uint32Array.of(0, 0),
      meanFloors: Float32Array.of(-12),
      restWeights: Float32Array.of(0),
    },
  };
}
