/** A model for tests that supply their own logits: BirdNET's calibration, a few labels, clips of six samples. */
import type { Evidence } from '../detection/evidence/evidence.ts';
import { createEvidenceCollector, type EvidenceDetail, evidenceDetail } from '../detection/evidence/evidence-collector.ts';
import { type Label, type LabelKind, type ModelKnowledge, speciesTableOf } from '../model/labels.ts';
import { type ModelManifest, modelManifestSchema } from '../model/manifest.ts';
import type { ClipRunner, ClipSlot } from '../model/session.ts';

const HASH = '0'.repeat(64);
const graph = (file: string) => ({ file, sha256: HASH, weights: { file: `${file}.data`, sha256: HASH } });

/** One clip lasts 3 s, the step is 1.5 s, and a second has two samples. */
export const fakeClip = { sampleRate: 2, clipSamples: 6, stepSamples: 3 } as const;

/** Keeps everything unrounded. */
export const completeEvidence: EvidenceDetail = { ...evidenceDetail, clipFloor: Number.NEGATIVE_INFINITY, logitStep: 0 };

/** The coefficients from section 4 of the recognition design. */
const calibration: ModelManifest['calibration'] = {
  pooling: { alpha: 5, bestClips: 5 },
  passages: { clips: 5, every: 2 },
  clipping: { score: [1e-4, 1 - 1e-6], meanMargin: [-3, 8], maxMargin: [-3, 10], nonBird: [-8, 2], gap: [0, 10] },
  confidence: {
    withoutPlace: { z: 0.3844, meanMargin: 0.2925, maxMargin: 0.1771, nonBird: -0.4034, gap: 0, bias: -3.2946 },
    withPlace: { z: 0.32, meanMargin: 0.356, maxMargin: 0.154, nonBird: -0.38, gap: -0.202, bias: -2.767 },
  },
  occurrence: { weight: 1.5, rare: 0.03, floor: 0.001, hidden: 0.002 },
  furtherBirds: null,
  detections: null,
  assumedPlace: { right: { bias: 3, z: 1.5 }, withoutPlace: 0.75, elsewhere: 0.003 },
  words: { veryLikely: 0.9, likely: 0.7, perhaps: 0.5, notSure: 0.25 },
  tie: { difference: 0.1, minConfidence: 0.25 },
  genusShare: 0.5,
  otherSoundScore: 0.25,
};

/** @param names scientific names with their kinds, in label order */
export function fakeModel(names: readonly (readonly [name: string, kind: LabelKind])[]): ModelKnowledge {
  const labels = names.map(
    ([scientificName, kind], index): Label => ({ index, scientificName, labelName: scientificName, kind }),
  );
  const manifest = modelManifestSchema.parse({
    manifestVersion: 1,
    id: 'made-up',
    name: 'Made up',
    version: '1',
    licence: 'none',
    attribution: 'none',
    citation: 'none',
    audio: {
      ...graph('audio.onnx'),
      sampleRate: fakeClip.sampleRate,
      clipSamples: fakeClip.clipSamples,
      normalisation: 'none',
      inputName: 'samples',
      logitsName: 'logits',
      embedding: null,
      activation: 'sigmoid',
    },
    webAudio: graph('audio.web.json'),
    occurrence: null,
    labels: {
      file: 'labels.txt',
      sha256: HASH,
      format: 'scientific_common',
      count: labels.length,
      nonEvents: names.filter(([, kind]) => kind === 'nonEvent').map(([name]) => name),
      nonBirdsFile: 'non-birds.txt',
      namesFolder: 'names',
      aliasesFile: 'aliases.tsv',
    },
    defaults: { clipStepSeconds: 1.5, minTailSeconds: 1, minScore: 0.25 },
    calibration,
    files: {},
  });
  return { manifest, species: speciesTableOf(labels) };
}

/** Evidence of clips with these logits, one row per clip. */
export function evidenceOf(model: ModelKnowledge, clips: readonly (readonly number[])[], detail?: EvidenceDetail): Evidence {
  const { stepSamples, clipSamples } = fakeClip;
  const collector = createEvidenceCollector(model, stepSamples, detail);
  for (const logits of clips) collector.add(Float32Array.from(logits));
  return collector.finish({
    sampleCount: (clips.length - 1) * stepSamples + clipSamples,
    silentSamples: 0,
    steadyClips: 0,
    windyClips: 0,
  });
}

/** A runner in this thread. `listen` computes a clip's outputs from its samples; if it throws or rejects, the clip fails. */
export function fakeRunner(
  model: ModelKnowledge,
  listen: (samples: Float32Array, outputs: Float32Array) => void | Promise<void>,
): ClipRunner & { readonly openJobs: number; readonly mostInFlight: number } {
  let openJobs = 0;
  let mostInFlight = 0;
  return {
    get openJobs() {
      return openJobs;
    },
    get mostInFlight() {
      return mostInFlight;
    },
    openJob() {
      openJobs += 1;
      const lent = new Set<ClipSlot>();
      const running = new Set<ClipSlot>();
      return {
        maxClipsInFlight: 3,
        take() {
          const slot = {
            samples: new Float32Array(model.manifest.audio.clipSamples).fill(Number.NaN),
            outputs: new Float32Array(model.species.labels.length),
          };
          lent.add(slot);
          return slot;
        },
        async run(slot) {
          running.add(slot);
          mostInFlight = Math.max(mostInFlight, running.size);
          await listen(slot.samples, slot.outputs);
        },
        release(slot) {
          lent.delete(slot);
          running.delete(slot);
        },
        close() {
          openJobs -= 1;
        },
      };
    },
  };
}
