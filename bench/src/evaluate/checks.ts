/** Checks of the answers about real sound that need no labels beyond one bird a recording. Part of `npm run evaluate`. */
import type { Evidence } from '@chiffchaff/recognizer';
import type { AnalyzedRow } from './analyze-rows.ts';
import type { ModelUnderTest } from './open-model-under-test.ts';

/** Edge of a cell of the world, in degrees. */
const CELL_DEGREES = 3;
const SOUTHERNMOST = -60;
/** In a cell where it is less likely over the year, a bird does not occur. */
const OCCURS = 0.003;

/** @param analysed of birds */
export async function workOutChecks(analysed: readonly AnalyzedRow[], modelUnderTest: ModelUnderTest) {
  const { birds, words } = modelUnderTest;
  const namedIn = (evidence: Evidence): readonly { readonly label: number; readonly confidence: number }[] =>
    modelUnderTest
      .conclude(evidence, { occurrence: null, top: birds.size })
      .candidates.filter(({ confidence }) => confidence >= words.perhaps);
  const meet = await findMeetings(modelUnderTest);
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
    /** Birds named that occur nowhere together with the bird that the recording is of: nearly always errors. */
    impossibleCompanions: [words.perhaps, words.likely, words.veryLikely].map((from) => ({
      from,
      birds: companions.filter(({ confidence }) => confidence >= from).length,
    })),
    /** Birds named in the even and in the odd passages alike, and in either. */
    halves: { both: total('both'), either: total('either') },
  };
}

/** @returns whether two birds, by label, occur in one cell of the world */
async function findMeetings({ occurrence, birds }: ModelUnderTest): Promise<(one: number, other: number) => boolean> {
  const cells = new Map([...birds.values()].map((label) => [label, new Set<number>()]));
  let cell = 0;
  for (let latitude = SOUTHERNMOST; latitude < 90; latitude += CELL_DEGREES) {
    for (let longitude = -180; longitude < 180; longitude += CELL_DEGREES) {
      const likely = await occurrence({ latitude, longitude, week: null });
      for (const [label, of] of cells) if ((likely[label] ?? 0) >= OCCURS) of.add(cell);
      cell += 1;
    }
  }
  return (one, other) => {
    const ofOther = cells.get(other);
    return [...(cells.get(one) ?? [])].some((each) => ofOther?.has(each));
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
