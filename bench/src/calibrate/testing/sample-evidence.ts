import { readFileSync } from 'node:fs';
import { type Evidence, type ModelManifest, modelManifestSchema } from '@chiffchaff/recognizer';

/** The project's description of the model as a manifest, as if its graphs were installed. */
export function describedManifest(): ModelManifest {
  const read = (name: string) =>
    JSON.parse(readFileSync(new URL(`../../../../models/birdnet-v2.4/${name}`, import.meta.url), 'utf8'));
  const sha256 = 'a'.repeat(64);
  const hashed = (part: { weights: object }) => ({ ...part, sha256, weights: { ...part.weights, sha256 } });
  const template = read('manifest.json');
  return modelManifestSchema.parse({
    ...template,
    audio: hashed(template.audio),
    webAudio: hashed(template.webAudio),
    occurrence: hashed(template.occurrence),
    calibration: read('calibration.json'),
    files: {},
  });
}

/** Evidence with passages of one clip each. @param passages for each passage, the logit of each bird */
export function sampleEvidence(passages: readonly (readonly number[])[], nonBird = -5): Evidence {
  const labels = passages.flatMap((logits) => logits.map((_, label) => label));
  const logits = Float32Array.from(passages.flat());
  const offsets = Uint32Array.from([0, ...passages.map((_, i) => passages.slice(0, i + 1).flat().length)]);
  const rows = { offsets, labels: Uint16Array.from(labels) };
  return {
    modelId: 'made-up',
    logitUnit: 1,
    labelCount: passages[0]?.length ?? 0,
    sampleRate: 10,
    clipSamples: 30,
    clipStepSamples: 15,
    sampleCount: 30,
    silentSamples: 0,
    steadyClips: 0,
    windyClips: 0,
    clips: { ...rows, floor: Number.NEGATIVE_INFINITY, logits, nonBirdPeaks: new Float32Array(passages.length).fill(nonBird) },
    passages: {
      ...rows,
      firstClips: Uint32Array.from(passages, (_, i) => i),
      clipCount: 1,
      means: logits,
      peaks: logits,
      zs: logits,
      meanFloors: new Float32Array(passages.length).fill(Number.NEGATIVE_INFINITY),
      restWeights: new Float32Array(passages.length),
    },
  };
}
