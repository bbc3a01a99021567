import { type Place, type Places, placesSchema } from '@chiffchaff/contract';
import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Kit } from '../../../ui/kit.tsx';
import type { Api } from '../use-api.ts';
import styles from './choose.module.css';

export interface PlaceSearchProperties {
  readonly openHttp: Api['openHttp'];
  readonly value: string;
  /** Whether the value is the label of a place that was chosen, not a part of a name. */
  readonly isChosen: boolean;
  /** What is wrong with the value, as a sentence. */
  readonly fault: string | null;
  readonly onType: (text: string) => void;
  readonly onChoose: (label: string, place: Place) => void;
  /** It takes the place of a field that had the focus. */
  readonly takesFocus?: boolean;
}

const shortestQuery = 2;

/** `GET /v1/places?q=`: place names known to the server, best match first. */
async function findPlaces(openHttp: Api['openHttp'], query: string, signal: AbortSignal): Promise<Places> {
  const http = await openHttp();
  const { data } = await http.get<unknown>('/v1/places', { params: { q: query }, signal });
  return placesSchema.parse(data);
}

/** One label for each place; where two would be the same, the coordinates tell them apart. */
export function labelPlaces(places: readonly Place[], language: string): ReadonlyMap<string, Place> {
  const countries = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  const plain = ({ name, region, countryCode }: Place) =>
    [name, ...(region === null || region === name ? [] : [region]), countries.of(countryCode) ?? countryCode].join(', ');
  const counts = Map.groupBy(places, plain);
  return new Map(
    places.map((place) => {
      const label = plain(place);
      const exact = `${label} (${place.latitude.toFixed(2)}, ${place.longitude.toFixed(2)})`;
      return [(counts.get(label)?.length ?? 0) > 1 ? exact : label, place];
    }),
  );
}

/** The label that the arrow keys lead to, if any. */
const markedIn = (input: HTMLInputElement): string | null =>
  document.getElementById(input.getAttribute('aria-controls') ?? '')?.querySelector('[data-combobox-selected]')?.textContent ??
  null;

/**
 * The list of places that fit what is typed. Whoever goes on without choosing means the place of exactly that name, else the best
 * match; where the server has not answered yet, as soon as it does.
 */
export function PlaceSearch(properties: PlaceSearchProperties) {
  const { openHttp, value, isChosen, fault, onType, onChoose, takesFocus = false } = properties;
  const { t, i18n } = useTranslation();
  const typed = value.trim();
  const [query] = useDebouncedValue(typed, 200);
  // What was typed before the list was there is waited for, too.
  const [awaited, setAwaited] = useState<string | null>(takesFocus ? null : typed);
  const { data: found, isPlaceholderData } = useQuery({
    queryKey: ['places', query],
    queryFn: ({ signal }) => findPlaces(openHttp, query, signal),
    enabled: !isChosen && query.length >= shortestQuery,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const places = !isChosen && query.length >= shortestQuery ? (found?.places ?? []) : [];
  const labelled = labelPlaces(places, i18n.language);
  const isAnswered = !isChosen && !isPlaceholderData && found !== undefined && query === typed && typed.length >= shortestQuery;

  const choose = (label: string) => {
    const place = labelled.get(label);
    if (place) onChoose(label, place);
    return place !== undefined;
  };
  const takeBest = () => {
    const isExact = ({ name }: Place) => name.localeCompare(typed, i18n.language, { sensitivity: 'accent' }) === 0;
    const [best] = [...labelled].sort(([, one], [, other]) => Number(isExact(other)) - Number(isExact(one)));
    if (best) onChoose(...best);
  };
  const goOn = (input: HTMLInputElement) => {
    if (isChosen || typed === '') return;
    const marked = markedIn(input);
    if (marked !== null && choose(marked)) return;
    if (isAnswered) takeBest();
    else setAwaited(typed);
  };
  const isAwaited = isAnswered && awaited === typed;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer is there
  useEffect(() => {
    if (!isAwaited) return;
    setAwaited(null);
    takeBest();
  }, [isAwaited]);

  const help = found && !isChosen ? found.attribution : t('choose.placeHelp');
  return (
    <div className={styles.field}>
      <Kit>
        <Autocomplete
          label={t('choose.place')}
          description={help}
          error={fault}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          classNames={{
            label: styles.plainLabel ?? '',
            input: styles.text ?? '',
            description: styles.help ?? '',
            error: styles.fault ?? '',
            dropdown: styles.dropdown ?? '',
            option: styles.option ?? '',
          }}
          value={value}
          data={[...labelled.keys()]}
          filter={({ options }) => options}
          autoFocus={takesFocus}
          autoComplete="off"
          onChange={(text) => {
            setAwaited(null);
            if (!choose(text)) onType(text);
          }}
          onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault(); // here it chooses a place; it sends nothing
            if (markedIn(event.currentTarget) === null) goOn(event.currentTarget);
          }}
          onBlur={({ currentTarget }) => goOn(currentTarget)}
        />
        <p role="status" className={styles.help}>
          {isAnswered && places.length === 0 && t('choose.noPlaceFound')}
        </p>
      </Kit>
    </div>
  );
}
