import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../platform/api/open-http.ts';
import { readHeardSpecies } from '../../platform/api/stored-predictions.ts';
import { storedPredictionsKey } from '../../platform/api/use-stored-predictions.ts';
import { dateLocale } from '../../platform/format/format.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import { useWords } from '../../platform/format/words.ts';
import { useAuthSnapshot } from '../../platform/session/session-context.tsx';
import formStyles from '../../ui/form/form.module.css';
import { Notice } from '../../ui/notice.tsx';
import styles from './history.module.css';

function useHeardSpecies(language: string | null) {
  const openHttp = useOpenHttp();
  const { localId } = useAuthSnapshot().state;
  return useQuery({
    queryKey: storedPredictionsKey(localId, 'species', language),
    queryFn: async ({ signal }) => readHeardSpecies(await openHttp(), language, signal),
  });
}

/** Without a pause of this length, typing goes on. */
const PAUSE_MS = 250;

interface SearchFieldProperties {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

export function SearchField({ value, onSearch }: SearchFieldProperties) {
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Changed from elsewhere: by the browser's way back, or by removing what is searched for.
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
      <label htmlFor={id}>{t('history.search')}</label>
      <input
        id={id}
        type="search"
        className={formStyles.text}
        value={typed}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        placeholder={t('history.searchExample')}
        onChange={({ target }) => setTyped(target.value)}
        // All has been typed, and is found here on the way back.
        onBlur={() => typed.trim() !== value && onSearch(typed.trim())}
      />
    </div>
  );
}

interface Properties {
  readonly chosen: string | null;
  readonly namesIn: string | null;
  readonly onChoose: (scientificName: string | null) => void;
}

/** Every species that the answers name, with the first time; one can be chosen to see its answers alone. */
export function SpeciesList({ chosen, namesIn, onChoose }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const titleId = useId();
  const { data: species, error, refetch } = useHeardSpecies(namesIn);
  // A day is the same everywhere.
  const date = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeZone: 'UTC' });
  if (species?.length === 0) return null;
  return (
    <section aria-labelledby={titleId} className={styles.species}>
      <h2 id={titleId}>{t('history.species', { count: species?.length ?? 0 })}</h2>
      {error && (
        <Notice tone="warning" title={errorSentence(toApiError(error), t, i18n.language)} onRetry={() => void refetch()} />
      )}
      <ul className={styles.speciesRows}>
        {species?.map(({ scientificName, commonName, firstHeardOn, confidence, predictions }) => (
          <li key={scientificName}>
            <button
              type="button"
              className={styles.one}
              aria-pressed={chosen === scientificName}
              onClick={() => onChoose(chosen === scientificName ? null : scientificName)}
            >
              <span>
                <strong lang={namesIn === null ? undefined : languageTag(namesIn)}>{commonName}</strong>{' '}
                <i lang="la">{scientificName}</i>
              </span>
              <span className={styles.soft}>
                {t(`word.${words.wordOf(confidence)}`)} · {t('history.firstHeard', { date: date.format(new Date(firstHeardOn)) })}{' '}
                · {t('history.answers', { count: predictions })}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
