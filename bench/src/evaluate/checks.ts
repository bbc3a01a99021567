/** Checks of the answers about real sound that need no labels beyond one bird a recording. Part of `npm run evaluate`. */
import type { Evidence } from '@chiffchaff/recognizer';
import type { AnalyzedRow } from './analyze-rows.ts';
import type { ModelUnderTest } from './open-model-under-test.ts';

/** A bird is expected in a town where it is at least this likely over the year. */
const EXPECTED = Math.fround(0.03);

/** @param analysed of birds */
export async function workOutChecks(analysed: readonly AnalyzedRow[], modelUnderTest: ModelUnderTest) {
  const { birds, words } = modelUnderTest;
  const namedIn = (evidence: Evidence): readonly { readonly label: number; readonly confidence: number }[] =>
    modelUnderTest
      .conclude(evidence, { occurrence: null, top: birds.size })
      .candidates.filter(({ confidence }) => confidence >= words.perhaps);
  // Towns alone: far out at sea, the occurrence model expects birds of all continents.
  const towns = (await modelUnderTest.zones()).flatMap((zone) => zone.towns);
  const meet = (one: number, other: number): boolean =>
    towns.some(({ occurrence }) => (occurrence[one] ?? 0) >= EXPECTED && (occurrence[other] ?? 0) >= EXPECTED);
  const companions = analysed.flatMap(({ scientificName, evidence }) => {
    const own = birds.get(scientificName ?? '');
    return own === undefined ? [] : namedIn(evidence).filter(({ label }) => label !== own && !meet(own, label));
  });
  const halves = analysed.map(({ evidence }) => {
    const [even = [], odd = []] = [0, 1].map((parity) => namedIn(everyOtherPassage(evidence, parity)).map(({ label }) => label));
    return { both: even.filter((label) => odd.includes(label)).length, either: new Set([...even, ...odd]).size };
  });
  const total = (of: 'both' | 'either') => halves.reduce((sum, each) => sum + each[of], 0);
  return {
    /** Birds named that are expected in no town with the bird that the recording is of: nearly always errors. */
    impossibleCompanions: [words.perhaps, words.likely, words.veryLikely].map((from) => ({
      from,
      birds: companions.filter(({ confidence }) => confidence >= from).length,
    })),
    /** Birds named in the even and in the odd passages alike, and in either. */
    halves: { both: total('both'), either: total('either') },
  };
}

/** The evidence with every other passage only, from the first or from the second on. */
function everyOtherPassage(evidence: Evidence, parity: number): Evidence {
  const { passages } = evidence;
  const isKept = passages.labels.map(() => 0);
  const offsets = [0];
  for (let passage = parity; passage < passages.firstClips.length; passage += 2) {
    const [from = 0, to = 0] = passages.offsets.subarray(passage, passage + 2);
    isKept.fill(1, from, to);
    offsets.push((offsets.at(-1) ?? 0) + to - from);
  }
  const inRow = (_: number, at: number) => isKept[at] === 1;
  const ofPassage = (_: number, passage: number) => passage % 2 === parity;
  return {
    ...evidence,
    passages: {
      clipCount: passages.clipCount,
      offsets: Uint32Array.from(offsets),
      firstClips: passages.firstClips.filter(ofPassage),
      labels: passages.labels.filter(inRow),
      means: passages.means.filter(inRow),
      peaks: passages.peaks.filter(inRow),
      zs: passages.zs.filter(inRow),
      meanFloors: passages.meanFloors.filter(ofPassage),
      restWeights: passages.restWeights.filter(ofPassage),
    },
  };
}
