import type { Place } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { placesQuery, SHORTEST_PLACE_QUERY } from '../../platform/api/places-query.ts';
import type { Town } from '../../platform/api/stored-predictions.ts';
import { labelPlaces } from '../../platform/format/place-labels.ts';
import { useOpenHttp } from '../../platform/session/session-context.tsx';
import { SearchInput } from '../../ui/form/search-field.tsx';
import { useTyped } from '../../ui/form/use-typed.ts';
import styles from './history.module.css';

/** A pause of this length ends the typing. */
const PAUSE_MS = 250;

/** A town near which recordings were made: one of the suggestions while typing, else the best match on Enter or on leaving the field. */
export function TownField({ value, onChoose }: { readonly value: Town | null; readonly onChoose: (town: Town | null) => void }) {
  const { t, i18n } = useTranslation();
  const listId = useId();
  const openHttp = useOpenHttp();
  const [typed, setTyped] = useState(value?.name ?? '');
  const [known, setKnown] = useState(value);
  // Changed from outside: by the browser's back button, or by clearing all filters.
  if (known?.name !== value?.name) {
    setKnown(value);
    setTyped(value?.name ?? '');
  }
  const query = useTyped(typed, PAUSE_MS);
  const isAsked = query.length >= SHORTEST_PLACE_QUERY && query !== value?.name;
  const { data: found } = useQuery({
    ...placesQuery(openHttp, query),
    enabled: isAsked,
  });
  const places = labelPlaces(isAsked ? (found?.places ?? []) : [], i18n.language);
  const choose = (label: string, { latitude, longitude }: Place) => onChoose({ latitude, longitude, name: label });
  const change = (text: string) => {
    setTyped(text);
    const proposed = places.get(text);
    if (proposed) choose(text, proposed);
    else if (text.trim() === '') onChoose(null);
  };
  const takeBest = () => {
    const [best] = places;
    if (best && query === typed.trim()) choose(...best);
  };
  return (
    <div className={`stack-tight ${styles.search}`}>
      <SearchInput
        label={t('history.near')}
        value={typed}
        list={listId}
        placeholder={t('history.nearExample')}
        onChange={change}
        onKeyDown={({ key }) => key === 'Enter' && takeBest()}
        onBlur={takeBest}
      />
      <datalist id={listId}>
        {[...places.keys()].map((label) => (
          <option key={label} value={label} />
        ))}
      </datalist>
      {isAsked && places.size === 0 && found && (
        <p role="status" className={styles.soft}>
          {t('history.noTown')}
        </p>
      )}
      {places.size > 0 && <p className={styles.soft}>{found?.attribution}</p>}
    </div>
  );
}
