import { heardSpeciesSchema, type Place } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { type ComponentProps, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { placesQuery, SHORTEST_PLACE_QUERY } from '../../platform/api/places-query.ts';
import type { Town } from '../../platform/api/stored-predictions.ts';
import { useRecord } from '../../platform/api/use-record.ts';
import { dateLocale } from '../../platform/format/format.ts';
import { labelPlaces } from '../../platform/format/place-labels.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import { useWords } from '../../platform/format/words.ts';
import { useOpenHttp } from '../../platform/session/session-context.tsx';
import formStyles from '../../ui/form/form.module.css';
import { useTyped } from '../../ui/form/use-typed.ts';
import { Notice } from '../../ui/notice.tsx';
import { SpeciesLink } from '../../ui/species/species-link.tsx';
import styles from './history.module.css';

/** All species named in the account's predictions. @param language of the names */
export const useHeardSpecies = (language: string | null) =>
  useRecord('predictions', '/v1/predictions/species', heardSpeciesSchema, language ? { language } : {});

/** A pause of this length ends the typing. */
const PAUSE_MS = 250;

interface SearchFieldProperties {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

export function SearchField({ value, onSearch }: SearchFieldProperties) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Changed from outside: by the browser's back button, or by clearing the search.
  if (known !== value) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers that are still in use do not know <search>
    <div className={styles.search} role="search">
      <SearchInput
        label={t('history.search')}
        value={typed}
        placeholder={t('history.searchExample')}
        onChange={setTyped}
        // Typing is over: the search goes into the address, where going back finds it.
        onBlur={() => typed.trim() !== value && onSearch(typed.trim())}
      />
    </div>
  );
}

/** `3 results, one of them confirmed by you` */
function resultsInWords(count: number, confirmed: number, t: TFunction): string {
  const results = t('history.answers', { count });
  if (confirmed === 0) return results;
  return confirmed === count ? t('lifeList.confirmedAll', { count }) : t('lifeList.confirmedSome', { count: confirmed, results });
}

interface Properties {
  readonly chosen: string | null;
  readonly namesIn: string | null;
  readonly onChoose: (scientificName: string | null) => void;
}

/** All species named in the predictions, each with its first date; choosing one filters the list. */
export function SpeciesList({ chosen, namesIn, onChoose }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const titleId = useId();
  const { data, error, refetch } = useHeardSpecies(namesIn);
  const species = data?.species;
  const locale = dateLocale(i18n.language);
  // A date is the same in every time zone, an instant is not.
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const localDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  if (species?.length === 0) return null;
  return (
    <section aria-labelledby={titleId} className={styles.species}>
      <h2 id={titleId}>{t('history.species', { count: species?.length ?? 0 })}</h2>
      {error && (
        <Notice tone="warning" title={errorSentence(toApiError(error), t, i18n.language)} onRetry={() => void refetch()} />
      )}
      <ul className={styles.speciesRows}>
        {species?.map(({ scientificName, commonName, firstHeardOn, firstSentAt, ...heard }) => (
          <li key={scientificName}>
            <button
              type="button"
              className={styles.one}
              aria-pressed={chosen === scientificName}
              onClick={() => onChoose(chosen === scientificName ? null : scientificName)}
            >
              <span>
                <strong lang={namesIn === null ? undefined : languageTag(namesIn)}>{commonName}</strong>
              </span>
              <span className={styles.soft}>
                {!heard.confirmed && `${t(`word.${words.wordOf(heard.confidence)}`)} · `}
                {firstSentAt === null
                  ? t('history.firstHeard', { date: day.format(new Date(firstHeardOn)) })
                  : t('sentOn.first', { date: localDay.format(new Date(firstSentAt)) })}{' '}
                · {resultsInWords(heard.predictions, heard.confirmedPredictions, t)}
              </span>
            </button>
            <SpeciesLink scientificName={scientificName} commonName={commonName} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SearchInputProperties extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly onChange: (text: string) => void;
}

/** A search field for names, with its label above. */
function SearchInput({ label, onChange, ...input }: SearchInputProperties) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        type="search"
        className={formStyles.text}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  );
}

interface TownFieldProperties {
  readonly value: Town | null;
  readonly onChoose: (town: Town | null) => void;
}

/** A town near which recordings were made: one of the suggestions while typing, else the best match on Enter or on leaving the field. */
export function TownField({ value, onChoose }: TownFieldProperties) {
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
    <div className={styles.search}>
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
