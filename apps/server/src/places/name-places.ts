import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ListedPlace } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import type { PlaceIndex } from './place-index.ts';

/** What routes need that show stated places. */
export interface NamesPlaces {
  readonly places: Pick<PlaceIndex, 'townAt'>;
}

const keyOf = ({ latitude, longitude }: ListedPlace): string => `${latitude} ${longitude}`;

/**
 * Looks up the towns of places, each place once, and lets other work run in between.
 *
 * @returns adds the town to one of these places, if it has one and the lookup did not fail
 */
export async function namePlaces(
  { places }: NamesPlaces,
  listed: readonly (ListedPlace | null)[],
  log: FastifyBaseLogger,
): Promise<(place: ListedPlace | null) => ListedPlace | null> {
  const towns = new Map<string, string | undefined>();
  try {
    for (const place of listed) {
      if (place === null || towns.has(keyOf(place))) continue;
      towns.set(keyOf(place), (await places.townAt(place.latitude, place.longitude)) ?? undefined);
      await yieldToEventLoop();
    }
  } catch (error) {
    log.warn({ err: error }, 'the towns of stated places could not be looked up');
  }
  return (place) => place && { ...place, town: towns.get(keyOf(place)) };
}
