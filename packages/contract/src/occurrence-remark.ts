import type { Candidate } from './prediction.ts';

/** The remarks in English, as they follow a bird's name. */
export const occurrenceInWords = { seldomReported: 'seldom reported here', notKnown: 'not known from here' } as const;

/**
 * What has to be said of a bird beside its name: that it is seldom reported at the stated place, or not known from there. Without a word,
 * as on a device that does not know the surroundings, an unusual bird is called seldom reported.
 *
 * @returns null when nothing has to be said, as of any bird at an assumed place
 */
export function occurrenceRemark({
  occurrenceWord,
  unusualHere,
  assumed,
}: Pick<Candidate, 'occurrenceWord' | 'unusualHere' | 'assumed'>): 'seldomReported' | 'notKnown' | null {
  if (assumed !== undefined) return null;
  const word = occurrenceWord ?? (unusualHere ? 'seldomReported' : 'expected');
  return word === 'expected' ? null : word;
}
