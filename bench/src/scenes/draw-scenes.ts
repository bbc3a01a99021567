/**
 * Draws scenes for `npm run evaluate -- --scenes` and for the fit of the confidence: recordings with several birds, put together from
 * recordings of one bird each. A scene is only described here; `render-scene.ts` makes its sound. The same seed draws the same scenes.
 */
import { type Chance, pickByWeight } from '../harness/random.ts';

/** A recording of one bird. */
export interface Source {
  readonly file: string;
  /** of the bird it is labelled with */
  readonly label: number;
  readonly seconds: number;
}

/** A bird in a scene. */
export interface SceneBird {
  readonly file: string;
  readonly label: number;
  /** where its recording is heard: the loudest part of that length, or the whole of it */
  readonly heard: readonly { readonly startSeconds: number; readonly seconds: number }[];
  /** level relative to the loudest bird, 0 or less */
  readonly decibels: number;
  /** cut-off of a low-pass filter that stands for distance */
  readonly lowPassHz: number | null;
  /** time in which an echo falls by 60 dB */
  readonly echoSeconds: number | null;
}

export interface Scene {
  readonly name: string;
  /** `overlay`: whole recordings as they are, one over the other */
  readonly maker: 'excerpts' | 'overlay';
  /** index into `scenePlaces` */
  readonly place: number;
  readonly seconds: number;
  readonly birds: readonly SceneBird[];
  /** recordings without birds, one after the other */
  readonly background: { readonly files: readonly string[]; readonly decibels: number } | null;
  /** constant noise; its spectrum falls by 0, 3 or 6 dB an octave */
  readonly noise: { readonly slope: 0 | 3 | 6; readonly decibels: number; readonly seed: number } | null;
  /** of the finished sound, relative to full scale */
  readonly peakDecibels: number;
}

/** Places on four continents in their spring; weeks are the model's, four a month. */
export const scenePlaces = [
  { latitude: 50.8, longitude: 12.9, week: 18 },
  { latitude: 40.4, longitude: -3.7, week: 16 },
  { latitude: 42.4, longitude: -76.5, week: 19 },
  { latitude: 37.8, longitude: -122.4, week: 17 },
  { latitude: -26.2, longitude: 28, week: 40 },
  { latitude: -33.9, longitude: 151.2, week: 39 },
] as const;

/** How many scenes of excerpts have no bird, one, two, …: those without come to over three hours. */
const SCENES_WITH = [150, 150, 60, 60, 60, 60, 60, 30] as const;
const OVERLAYS = 120;
/** From this occurrence on, a bird is drawn in proportion to it; below, it is rare, or a vagrant. */
const EXPECTED = 0.03;
const OCCURS = 0.003;
const RARE_SHARE = 0.05;
const VAGRANT_SHARE = 0.02;
const SHORTEST_SECONDS = 10;
const LONGEST_SECONDS = 300;
const BACKGROUND_SECONDS = 5;

export interface DrawInput {
  readonly sources: readonly Source[];
  /** files of recordings without birds */
  readonly backgrounds: readonly string[];
  /** by place, then by label */
  readonly occurrences: readonly Float32Array[];
  readonly chance: Chance;
}

/** Draws the scenes of one seed: those of excerpts by number of birds, then overlays. */
export function drawScenes(input: DrawInput): Scene[] {
  const ofExcerpts = SCENES_WITH.flatMap((count, birds) =>
    Array.from({ length: count }, (_, index) => drawScene(input, birds, `${birds} birds, ${index}`)),
  );
  return [...ofExcerpts, ...Array.from({ length: OVERLAYS }, (_, index) => drawOverlay(input, `overlay ${index}`))];
}

function drawScene(input: DrawInput, count: number, name: string): Scene {
  const { chance, backgrounds } = input;
  const within = (low: number, high: number): number => low + (high - low) * chance.next();
  const maybe = <Value>(share: number, value: () => Value): Value | null => (chance.next() < share ? value() : null);
  const place = chance.below(scenePlaces.length);
  const seconds = Math.round(SHORTEST_SECONDS * (LONGEST_SECONDS / SHORTEST_SECONDS) ** chance.next());
  const birds = drawBirds(input, place, count).map(
    ({ file, label }, index): SceneBird => ({
      file,
      label,
      heard: Array.from({ length: 1 + chance.below(2) }, () => {
        const length = within(3, 9);
        return { startSeconds: within(0, seconds - length), seconds: length };
      }),
      decibels: index === 0 ? 0 : within(-20, 0),
      lowPassHz: maybe(0.3, () => within(3000, 10_000)),
      echoSeconds: maybe(0.3, () => within(0.1, 0.8)),
    }),
  );
  const files = () => Array.from({ length: Math.ceil(seconds / BACKGROUND_SECONDS) }, () => chance.pick(backgrounds) ?? '');
  // Without birds, other sounds are all there is.
  const background = maybe(count === 0 ? 1 : 0.8, () => ({ files: files(), decibels: count === 0 ? 0 : within(-30, -12) }));
  const slope = chance.pick([0, 3, 6] as const) ?? 0;
  const noise = maybe(0.8, () => ({ slope, decibels: within(-50, -30), seed: 1 + chance.below(2 ** 31) }));
  return { name, maker: 'excerpts', place, seconds, birds, background, noise, peakDecibels: within(-25, 0) };
}

function drawOverlay(input: DrawInput, name: string): Scene {
  const { chance } = input;
  const place = chance.below(scenePlaces.length);
  const sources = drawBirds(input, place, 2 + chance.below(2));
  const birds = sources.map(({ file, label, seconds }, index): SceneBird => {
    const decibels = index === 0 ? 0 : -12 * chance.next();
    return { file, label, heard: [{ startSeconds: 0, seconds }], decibels, lowPassHz: null, echoSeconds: null };
  });
  const seconds = Math.max(...sources.map((source) => source.seconds));
  return { name, maker: 'overlay', place, seconds, birds, background: null, noise: null, peakDecibels: -1 };
}

/** Birds of different species, fewer than `count` if not so many occur at the place. */
function drawBirds({ sources, occurrences, chance }: DrawInput, place: number, count: number): Source[] {
  const occurrenceOf = ({ label }: Source): number => occurrences[place]?.[label] ?? 0;
  const isExpected = (source: Source): boolean => occurrenceOf(source) >= EXPECTED;
  const drawn: Source[] = [];
  while (drawn.length < count) {
    const left = sources.filter(({ label }) => !drawn.some((other) => other.label === label));
    const kind = chance.next();
    const weightOf = (source: Source): number => {
      const occurrence = occurrenceOf(source);
      if (kind < VAGRANT_SHARE) return occurrence < OCCURS ? 1 : 0;
      if (kind < VAGRANT_SHARE + RARE_SHARE) return occurrence >= OCCURS && occurrence < EXPECTED ? 1 : 0;
      return isExpected(source) ? occurrence : 0;
    };
    const chosen = pickByWeight(left, weightOf, chance.next());
    if (chosen) drawn.push(chosen);
    else if (!left.some(isExpected)) break;
  }
  return drawn;
}
