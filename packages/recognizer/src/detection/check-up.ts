import type { SpeciesTable } from '../model/labels.ts';
import { logOdds } from './activation.ts';
import type { AnswerCheckUp, AnswerOtherSound } from './answer.ts';
import { clipCountOf, type Evidence, findInRow, type TimeSpan } from './evidence/evidence.ts';

/** Silence is reported from this share of the recording on. */
const SILENT_SHARE = 0.1;
/** Steady noise is reported if hardly anything else is there: quiet nights have much of it between calls. */
const STEADY_SHARE = 0.95;

/** The label of models for people who talk. */
const SPEECH_LABEL = 'Human vocal';

/**
 * Finds what the evidence adds to the check-up: silence, steady noise, and those of the other sounds that are not species. The place does not
 * matter.
 *
 * @param minScore lowest score of a clip that counts as holding the sound
 */
export function checkUpOf(
  evidence: Evidence,
  species: SpeciesTable,
  otherSounds: readonly AnswerOtherSound[],
  minScore: number,
): AnswerCheckUp[] {
  const { silentSamples, sampleCount } = evidence;
  const silent = sampleCount > 0 ? silentSamples / sampleCount : 0;
  const findings: AnswerCheckUp[] = silent >= SILENT_SHARE ? [{ code: 'SILENT', share: silent }] : [];
  const steady = evidence.steadyClips / clipCountOf(evidence);
  if (steady >= STEADY_SHARE) findings.push({ code: 'STEADY_NOISE', share: steady });
  for (const { label } of otherSounds) {
    const { kind, scientificName = '' } = species.labels[label] ?? {};
    if (kind !== 'nonEvent') continue;
    const share = shareWith(evidence, label, logOdds(minScore));
    if (scientificName === SPEECH_LABEL) findings.push({ code: 'SPEECH_HEARD', share });
    else findings.push({ code: 'OTHER_SOUND_HEARD', share, label: scientificName });
  }
  return findings;
}

/** The times at which people are heard talking, in order. @param minScore lowest score of a clip that counts */
export function speechIn(evidence: Evidence, species: SpeciesTable, minScore: number): TimeSpan[] {
  const label = species.labels.find(({ scientificName }) => scientificName === SPEECH_LABEL);
  if (label === undefined) return [];
  return stretchesWith(evidence, label.index, logOdds(minScore)).map(({ from, to }) => ({
    startSeconds: from / evidence.sampleRate,
    endSeconds: to / evidence.sampleRate,
  }));
}

/** The share of the recording that clips with a label cover. */
function shareWith(evidence: Evidence, label: number, minLogit: number): number {
  const { sampleCount } = evidence;
  const covered = stretchesWith(evidence, label, minLogit).reduce((sum, { from, to }) => sum + to - from, 0);
  return sampleCount > 0 ? covered / sampleCount : 0;
}

/** The stretches that clips with a label cover, in samples; clips that overlap or touch are one stretch. */
function stretchesWith(evidence: Evidence, label: number, minLogit: number): { readonly from: number; to: number }[] {
  const { clips, clipSamples, clipStepSamples, sampleCount, logitUnit } = evidence;
  const stretches: { readonly from: number; to: number }[] = [];
  for (let clip = 0; clip < clipCountOf(evidence); clip++) {
    const at = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
    if (at < 0 || logitUnit * (clips.logits[at] ?? 0) < minLogit) continue;
    const from = clip * clipStepSamples;
    const to = Math.min(from + clipSamples, sampleCount);
    const last = stretches.at(-1);
    if (last && from <= last.to) last.to = to;
    else stretches.push({ from, to });
  }
  return stretches;
}
