import type { SpeciesTable } from '../model/labels.ts';
import type { AnswerOtherSound } from './answer.ts';
import { clipSpan, type Evidence } from './evidence/evidence.ts';
import type { RecordingScores } from './recording-scores.ts';

/** Finds the sounds that are not birds (engines, voices, frogs …), by descending score, each where it is loudest. */
export function findOtherSounds(
  evidence: Evidence,
  species: SpeciesTable,
  { scores, loudestClip }: RecordingScores,
  minScore: number,
): AnswerOtherSound[] {
  const sounds: AnswerOtherSound[] = [];
  for (const { index, kind, scientificName } of species.labels) {
    const score = scores[index] ?? 0;
    if (kind === 'bird' || score < minScore) continue;
    sounds.push({ label: index, scientificName, score, ...clipSpan(evidence, loudestClip[index] ?? 0) });
  }
  return sounds.sort((a, b) => b.score - a.score || a.label - b.label);
}
