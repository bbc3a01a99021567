import type { SpeechLogOdds } from '../audio/speech.ts';
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
/** How the logits of that label and of the surest bird in a clip count beside the pitch; docs/check-up.md says what they were fitted to. */
const speechWeights = { model: 1.024, bird: -0.142 } as const;

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

/**
 * The times at which people talk, in order: where the model hears them, or the pitch of the sound is that of voices and the model does not
 * know better.
 *
 * @param minScore lowest score of a clip that counts by itself
 */
export function speechIn(evidence: Evidence, species: SpeciesTable, minScore: number, logOddsOf: SpeechLogOdds): TimeSpan[] {
  const { clipSamples, clipStepSamples } = evidence;
  const label = species.labels.find(({ scientificName }) => scientificName === SPEECH_LABEL)?.index ?? -1;
  const talks = (clip: number): boolean => {
    const model = logitIn(evidence, clip, label);
    if (model >= logOdds(minScore)) return true;
    const { floor } = evidence.clips;
    const from = clip * clipStepSamples;
    const bird = highestBird(evidence, species, clip);
    const joined = speechWeights.model * (model - floor) + speechWeights.bird * (bird - floor);
    return logOddsOf(from, from + clipSamples) + joined >= 0;
  };
  return stretchesOf(evidence, talks).map(({ from, to }) => ({
    startSeconds: from / evidence.sampleRate,
    endSeconds: to / evidence.sampleRate,
  }));
}

/** The share of the recording that clips with a label cover. */
function shareWith(evidence: Evidence, label: number, minLogit: number): number {
  const { sampleCount } = evidence;
  const stretches = stretchesOf(evidence, (clip) => logitIn(evidence, clip, label) >= minLogit);
  return sampleCount > 0 ? stretches.reduce((sum, { from, to }) => sum + to - from, 0) / sampleCount : 0;
}

/** A label's logit in a clip; the floor if it is below. */
function logitIn({ clips, logitUnit }: Evidence, clip: number, label: number): number {
  const at = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
  return at < 0 ? clips.floor : logitUnit * (clips.logits[at] ?? 0);
}

/** The highest logit of a bird in a clip; the floor if all are below. */
function highestBird({ clips, logitUnit }: Evidence, { labels }: SpeciesTable, clip: number): number {
  let highest = clips.floor;
  for (let at = clips.offsets[clip] ?? 0; at < (clips.offsets[clip + 1] ?? 0); at++)
    if (labels[clips.labels[at] ?? 0]?.kind === 'bird') highest = Math.max(highest, logitUnit * (clips.logits[at] ?? 0));
  return highest;
}

/** The stretches that some clips cover, in samples; clips that overlap or touch are one stretch. */
function stretchesOf(evidence: Evidence, counts: (clip: number) => boolean): { readonly from: number; to: number }[] {
  const { clipSamples, clipStepSamples, sampleCount } = evidence;
  const stretches: { readonly from: number; to: number }[] = [];
  for (let clip = 0; clip < clipCountOf(evidence); clip++) {
    if (!counts(clip)) continue;
    const from = clip * clipStepSamples;
    const to = Math.min(from + clipSamples, sampleCount);
    const last = stretches.at(-1);
    if (last && from <= last.to) last.to = to;
    else stretches.push({ from, to });
  }
  return stretches;
}
