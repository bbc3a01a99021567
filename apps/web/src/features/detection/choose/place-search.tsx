import { type Place, type Places, placesSchema } from '@chiffchaff/contract';
import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Kit } from '../../../ui/kit.tsx';
import type { Api } from '../use-api.ts';
import styles from './choose.module.css';

export interface PlaceSearchProperties {
  readonly openHttp: Api['openHttp'];
  readonly value: string;
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

export function PlaceSearch({ openHttp, value, onType, onChoose, takesFocus = false }: PlaceSearchProperties) {
  const { t, i18n } = useTranslation();
  const [query] = useDebouncedValue(value.trim(), 200);
  const { data: found } = useQuery({
    queryKey: ['places', query],
    queryFn: ({ signal }) => findPlaces(openHttp, query, signal),
    enabled: query.length >= shortestQuery,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const labelled = labelPlaces(query.length >= shortestQuery ? (found?.places ?? []) : [], i18n.language);
  return (
    <div className={styles.field}>
      <Kit>
        <Autocomplete
          label={t('choose.place')}
          description={found ? found.attribution : t('choose.placeHelp')}
          inputWrapperOrder={['label', 'input', 'description']}
          classNames={{
            label: styles.plainLabel ?? '',
            input: styles.text ?? '',
            description: styles.help ?? '',
            dropdown: styles.dropdown ?? '',
            option: styles.option ?? '',
          }}
          value={value}
          data={[...labelled.keys()]}
          filter={({ options }) => options}
          autoFocus={takesFocus}
          autoComplete="off"
          onChange={onType}
          onOptionSubmit={(label) => {
            const place = labelled.get(label);
            if (place) onChoose(label, place);
          }}
        />
      </Kit>
    </div>
  );
}
