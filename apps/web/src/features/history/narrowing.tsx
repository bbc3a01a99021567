import { heardSpeciesSchema } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { useRecord } from '../../platform/api/use-record.ts';
import { dateLocale } from '../../platform/format/format.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import { useWords } from '../../platform/format/words.ts';
import { Notice } from '../../ui/notice.tsx';
import { SpeciesLink } from '../../ui/species/species-link.tsx';
import styles from './history.module.css';
import { SearchInput } from './search-input.tsx';

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
        {species?.map(
          ({
            scientificName,
            commonName,
            firstHeardOn,
            firstSentAt,
            confidence,
            predictions,
            confirmed,
            confirmedPredictions,
          }) => (
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
                  {!confirmed && `${t(`word.${words.wordOf(confidence)}`)} · `}
                  {firstSentAt === null
                    ? t('history.firstHeard', { date: day.format(new Date(firstHeardOn)) })
                    : t('sentOn.first', { date: localDay.format(new Date(firstSentAt)) })}{' '}
                  · {resultsInWords(predictions, confirmedPredictions, t)}
                </span>
              </button>
              <SpeciesLink scientificName={scientificName} commonName={commonName} />
            </li>
          ),
        )}
      </ul>
    </section>
  );
}
