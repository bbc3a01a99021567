import type { SpeciesTable } from '../model/labels.ts';
import { logOdds } from './activation.ts';
import type { AnswerCheckUp, AnswerOtherSound } from './answer.ts';
import { clipCountOf, type Evidence, findInRow } from './evidence/evidence.ts';

/** From this part of the recording on, silence is worth telling. */
const SILENT_SHARE = 0.1;

/** What models call people who talk. */
const SPEECH_LABEL = 'Human vocal';

/**
 * What the evidence adds to the check-up: silence, and of the other sounds those that no animal makes. Neither depends on the place.
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
  for (const { label } of otherSounds) {
    const { kind, scientificName = '' } = species.labels[label] ?? {};
    if (kind !== 'nonEvent') continue;
    const share = shareWith(evidence, label, logOdds(minScore));
    if (scientificName === SPEECH_LABEL) findings.push({ code: 'SPEECH_HEARD', share });
    else findings.push({ code: 'OTHER_SOUND_HEARD', share, label: scientificName });
  }
  return findings;
}

/** The part of the recording that lies in clips with a label; clips overlap. */
function shareWith(evidence: Evidence, label: number, minLogit: number): number {
  const { clips, clipSamples, clipStepSamples, sampleCount, logitUnit } = evidence;
  let covered = 0;
  let coveredTo = 0;
  for (let clip = 0; clip < clipCountOf(evidence); clip++) {
    const at = findInRow(clips.labels, clips.offsets[clip] ?? 0, clips.offsets[clip + 1] ?? 0, label);
    if (at < 0 || logitUnit * (clips.logits[at] ?? 0) < minLogit) continue;
    const end = Math.min(clip * clipStepSamples + clipSamples, sampleCount);
    covered += end - Math.max(clip * clipStepSamples, coveredTo);
    coveredTo = end;
  }
  return sampleCount > 0 ? covered / sampleCount : 0;
}
