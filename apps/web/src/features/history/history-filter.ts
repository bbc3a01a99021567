import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { PredictionFilter, Town } from '../../platform/api/stored-predictions.ts';

/** Filters of the list; null or an empty text filters nothing. */
export interface HistoryFilter extends Omit<PredictionFilter, 'days' | 'language'> {
  /** a month or a day: `2026-05`, `2026-05-03` */
  readonly on: string | null;
}

const TOWN = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?) (.{1,200})$/;

function readTown(text: string | null): Town | null {
  const [, latitude, longitude, name] = TOWN.exec(text ?? '') ?? [];
  if (latitude === undefined || longitude === undefined || name === undefined) return null;
  const town = { latitude: Number(latitude), longitude: Number(longitude), name };
  return Math.abs(town.latitude) <= 90 && Math.abs(town.longitude) <= 180 ? town : null;
}

function readDay(text: string | null): string | null {
  const whole = text?.length === 7 ? `${text}-01` : (text ?? '');
  return /^\d{4}-\d\d-\d\d$/.test(whole) && !Number.isNaN(Date.parse(whole)) ? text : null;
}

/** First and last day of a month, or the day itself. */
export function daysOf(on: string): { readonly from: string; readonly to: string } {
  if (on.length > 7) return { from: on, to: on };
  const last = new Date(Date.UTC(Number(on.slice(0, 4)), Number(on.slice(5)), 0)).getUTCDate();
  return { from: `${on}-01`, to: `${on}-${last}` };
}

/** Number of active filters besides the search and the species. */
export const countFilters = ({ on, near, isConfirmed }: HistoryFilter): number =>
  [on !== null, near !== null, isConfirmed].filter(Boolean).length;

export const isNarrowed = (filter: HistoryFilter): boolean =>
  filter.search !== '' || filter.species !== null || countFilters(filter) > 0;

export const wantedOf = ({ on, ...lookedFor }: HistoryFilter, language: string | null): PredictionFilter => ({
  ...lookedFor,
  days: on === null ? null : daysOf(on),
  language,
});

/** Keeps the filters in the address, so that going back from a prediction restores them. */
export function useLookedFor() {
  const [parameters, setParameters] = useSearchParams();
  const lookedFor = useMemo<HistoryFilter>(
    () => ({
      search: parameters.get('search') ?? '',
      species: parameters.get('species'),
      on: readDay(parameters.get('on')),
      near: readTown(parameters.get('near')),
      isConfirmed: parameters.get('confirmed') === 'true',
    }),
    [parameters],
  );
  const change = useCallback(
    (name: 'search' | 'on' | 'near' | 'confirmed', value: string | null) =>
      setParameters(
        (present) => {
          const next = new URLSearchParams(present);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return {
    lookedFor,
    onSearch: useCallback((text: string) => change('search', text), [change]),
    onDay: (day: string | null) => change('on', day),
    onTown: (town: Town | null) => change('near', town && `${town.latitude},${town.longitude} ${town.name}`),
    onConfirmed: (isConfirmed: boolean) => change('confirmed', isConfirmed ? 'true' : null),
    onAll: () => setParameters({}, { replace: true }),
  };
}
