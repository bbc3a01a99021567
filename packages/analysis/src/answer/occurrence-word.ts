import { EXPECTED_FROM, type OccurrenceWord } from '@chiffchaff/contract';
import { genusOf, type PlaceAndWeek } from '@chiffchaff/recognizer';
import { SELDOM_REPORTED } from './seldom-reported.ts';

/** How likely each label is around a place, in label order. */
export interface Surroundings {
  /** the highest at 16 points within 300 km, in the same week */
  readonly nearby: Float32Array;
  /** at the place itself, over the whole year */
  readonly wholeYear: Float32Array;
}

/** Occurrences of one label at a place; without `nearby` and `wholeYear`, nothing is called *not known from here*. */
interface LocalOccurrence {
  readonly here: number;
  readonly nearby: number | null;
  readonly wholeYear: number | null;
}

const REPORTED_FROM = 0.003;
/** The same for genera that few people report. */
const SELDOM_REPORTED_FROM = 0.001;
/**
 * The occurrence model fades slowly beyond the edge of a range: a bird that is this many times likelier nearby lives there, not here. For
 * Cambridge in May it is 8.6 for the Black Woodpecker, which stays on the Continent, and 1.2 to 3.1 for British birds of the night.
 */
const LIVES_NEARBY_FACTOR = 8;

/**
 * What a birder would say about a species at a place and week. A bird of another season is *seldom reported*, not unknown.
 *
 * @returns null when it takes the surroundings to tell, and they are not known
 */
export function occurrenceWordOf(scientificName: string, { here, nearby, wholeYear }: LocalOccurrence): OccurrenceWord | null {
  if (here >= EXPECTED_FROM) return 'expected';
  if (nearby === null || wholeYear === null) return here >= REPORTED_FROM ? 'seldomReported' : null;
  if (wholeYear >= EXPECTED_FROM) return 'seldomReported';
  const isSeldomReported = SELDOM_REPORTED.has(genusOf(scientificName));
  // For these, the difference to the surroundings may be one of observers.
  if (isSeldomReported && here >= REPORTED_FROM) return 'seldomReported';
  const reportedFrom = isSeldomReported ? SELDOM_REPORTED_FROM : REPORTED_FROM;
  const isReported = Math.max(here, nearby) >= reportedFrom;
  return isReported && here * LIVES_NEARBY_FACTOR >= nearby ? 'seldomReported' : 'notKnown';
}

const EARTH_RADIUS_KM = 6371;
const RINGS_KM = [150, 300];
const POINTS_PER_RING = 8;

/** The points of `Surroundings.nearby`, on two circles around a place. */
export function pointsAround({ latitude, longitude, week }: PlaceAndWeek): PlaceAndWeek[] {
  const [north, east] = [radians(latitude), radians(longitude)];
  return RINGS_KM.flatMap((km) =>
    Array.from({ length: POINTS_PER_RING }, (_, i) => {
      const bearing = (2 * Math.PI * i) / POINTS_PER_RING;
      const angle = km / EARTH_RADIUS_KM;
      const pointNorth = Math.asin(Math.sin(north) * Math.cos(angle) + Math.cos(north) * Math.sin(angle) * Math.cos(bearing));
      const pointEast =
        east +
        Math.atan2(
          Math.sin(bearing) * Math.sin(angle) * Math.cos(north),
          Math.cos(angle) - Math.sin(north) * Math.sin(pointNorth),
        );
      return { latitude: degrees(pointNorth), longitude: ((degrees(pointEast) + 540) % 360) - 180, week };
    }),
  );
}

const radians = (degreesOfArc: number): number => (degreesOfArc * Math.PI) / 180;
const degrees = (radiansOfArc: number): number => (radiansOfArc * 180) / Math.PI;

/** The highest of several rows of occurrences, label by label. @param rows one after the other */
export function highestOf(rows: Float32Array, labelCount: number): Float32Array {
  const highest = rows.slice(0, labelCount);
  for (let at = labelCount; at < rows.length; at++) {
    const label = at % labelCount;
    highest[label] = Math.max(highest[label] ?? 0, rows[at] ?? 0);
  }
  return highest;
}
