import { plainPath } from '../labels.ts';
import type { ListedDetection } from '../read/listed-detection.ts';

/** `best`: by confidence · `random`: any · `balanced`: as many from each tenth of the range of confidence, as far as there are */
export const choices = ['random', 'best', 'balanced'] as const;
export type Choice = (typeof choices)[number];

export interface SelectionOptions {
  readonly choose: Choice;
  readonly perSpecies: number;
  /** The same seed chooses the same detections from the same tables, in whatever order they are read. */
  readonly seed: number;
}

const BANDS = 10;

interface Candidate {
  readonly detection: ListedDetection;
  /** a random number that the seed and the detection determine */
  readonly drawn: number;
}

/**
 * Chooses detections of each species as they are read. Holds at most about twice as many as are wanted for each band of confidence. A
 * detection in several tables counts once.
 */
export function createSelection({ choose, perSpecies, seed }: SelectionOptions) {
  const order = choose === 'best' ? byConfidence : byChance;
  /** species → band → candidates */
  const species = new Map<string, Map<number, Candidate[]>>();

  return {
    add(detection: ListedDetection): void {
      const bands = species.get(detection.scientificName) ?? new Map<number, Candidate[]>();
      species.set(detection.scientificName, bands);
      const band = choose === 'balanced' ? Math.min(BANDS - 1, Math.floor(detection.confidence * BANDS)) : 0;
      const candidates = bands.get(band) ?? [];
      candidates.push({ detection, drawn: drawnBy(`${seed}\0${identity(detection)}`) });
      bands.set(band, candidates.length >= 2 * perSpecies + 16 ? firstOf(candidates, order, perSpecies) : candidates);
    },
    /** The chosen detections, by species, then by confidence. */
    chosen(): readonly ListedDetection[] {
      return [...species].sort(([a], [b]) => compare(a, b)).flatMap(([, bands]) => chooseOf(bands));
    },
  };

  function chooseOf(bands: ReadonlyMap<number, Candidate[]>): ListedDetection[] {
    const queues = [...bands.entries()].sort(([a], [b]) => b - a).map(([, candidates]) => firstOf(candidates, order, perSpecies));
    const chosen: Candidate[] = [];
    // One from each band in turn; other bands make up for one that runs out.
    for (let turn = 0; turn < perSpecies; turn += 1)
      for (const queue of queues) {
        const next = queue[turn];
        if (next && chosen.length < perSpecies) chosen.push(next);
      }
    return chosen.sort(byConfidence).map(({ detection }) => detection);
  }
}

const identity = ({ file, startSeconds, endSeconds, scientificName }: ListedDetection): string =>
  [plainPath(file), startSeconds, endSeconds, scientificName].join('\0');

function firstOf(candidates: readonly Candidate[], order: (a: Candidate, b: Candidate) => number, most: number): Candidate[] {
  return [...candidates]
    .sort(order)
    .filter(
      ({ detection }, index, all) => index === 0 || identity(detection) !== identity(all[index - 1]?.detection ?? detection),
    )
    .slice(0, most);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byChance = (a: Candidate, b: Candidate): number =>
  a.drawn - b.drawn || compare(identity(a.detection), identity(b.detection));

const byConfidence = (a: Candidate, b: Candidate): number =>
  b.detection.confidence - a.detection.confidence || b.detection.score - a.detection.score || byChance(a, b);

/** A pseudo-random number, 0 to 2³²: FNV-1a (Fowler, Noll, Vo), then the last step of MurmurHash3, which spreads similar texts. */
function drawnBy(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
