import type { FoundSpecies, SpeciesAround } from '@chiffchaff/contract';
import { IconCheck } from '@tabler/icons-react';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { useOwnBirds } from '../../platform/api/own-birds.ts';
import { type SeasonPlace, useSpeciesAround } from '../../platform/api/species.ts';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { listOf } from '../../platform/format/format.ts';
import { languageTag, useNamesLanguage } from '../../platform/format/species-language.ts';
import { Notice } from '../../ui/notice.tsx';
import { speciesPath } from '../../ui/species/species-link.tsx';
import styles from './birds.module.css';
import { occurrenceStep } from './occurrence-steps.ts';

interface Properties {
  /** null: the user chose to use none. */
  readonly where: SeasonPlace | null;
  /** 1 to 48 */
  readonly week: number;
}

type Bird = SpeciesAround['species'][number];

/** The birds that have rows; the server adds others that begin or end in the month. */
const MOST_ROWS = 60;

/** The likeliest birds of a place in a week, and which begin or end in that month; marks those that the account has found. */
export function Around({ where, week }: Properties) {
  const { t } = useTranslation();
  const own = useOwnBirds();
  const isOnline = useIsOnline();
  const { data, isError, refetch } = useSpeciesAround(where, week);
  if (where === null) return <p>{t('birds.noPlace')}</p>;
  if (isError)
    return <Notice tone="warning" title={t(isOnline ? 'birds.failed' : 'bird.offline')} onRetry={() => void refetch()} />;
  if (data === undefined)
    return (
      <p role="status" className="small soft">
        {t('screen.loading')}
      </p>
    );
  if (data?.sparse) return <p>{t('birds.sparse')}</p>;
  if (data === null || data.species.length === 0) return <p>{t('birds.unknown')}</p>;
  const rows = data.species.slice(0, MOST_ROWS);
  const count = rows.filter(({ scientificName }) => own?.has(scientificName)).length;
  return (
    <>
      <Names label={t('birds.begin')} birds={data.species.filter(({ begins }) => begins)} />
      <Names label={t('birds.end')} birds={data.species.filter(({ ends }) => ends)} />
      {own !== undefined && <p>{t('birds.own', { count, of: rows.length })}</p>}
      <ol className={`plain ${styles.rows}`}>
        {rows.map((bird) => (
          <Row key={bird.scientificName} bird={bird} isOwn={own?.has(bird.scientificName) ?? false} />
        ))}
      </ol>
      <p className="small soft">
        {t('birds.note')}
        {data.species.some(({ begins, ends }) => begins || ends) && ` ${t('birds.changeNote')}`}
        {data.timeZone !== null && ` ${t('bird.season.assumed')}`}
      </p>
    </>
  );
}

function Row({ bird, isOwn }: { readonly bird: Bird; readonly isOwn: boolean }) {
  const { t } = useTranslation();
  const { scientificName, occurrence, begins, ends } = bird;
  const notes = [...(begins ? [t('birds.begins')] : []), ...(ends ? [t('birds.ends')] : [])];
  return (
    <li className={styles.row}>
      <span className={styles.name}>
        <BirdLink bird={bird} />
        {isOwn && <IconCheck role="img" aria-label={t('birds.isOwn')} />}
        <span className={`small soft ${styles.second}`}>
          <i lang="la">{scientificName}</i>
          {notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
        </span>
      </span>
      <span className={`small ${styles.often}`}>
        {t(`bird.steps.${Math.max(0, occurrenceStep(occurrence)) as 0 | 1 | 2}`)}
        <span className={styles.bar} aria-hidden="true">
          <span style={{ inlineSize: `${occurrence * 100}%` }} />
        </span>
      </span>
    </li>
  );
}

export function BirdLink({ bird: { scientificName, commonName } }: { readonly bird: FoundSpecies }) {
  const language = useNamesLanguage();
  return (
    <Link to={speciesPath(scientificName)} lang={language === null ? undefined : languageTag(language)}>
      {commonName}
    </Link>
  );
}

/** `More often from this month: Cuckoo and Swift` */
function Names({ label, birds }: { readonly label: string; readonly birds: readonly Bird[] }) {
  const { i18n } = useTranslation();
  if (birds.length === 0) return null;
  return (
    <p>
      {label}{' '}
      {listOf(birds, i18n.language).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence
        <Fragment key={index}>{typeof part === 'string' ? part : <BirdLink bird={part} />}</Fragment>
      ))}
    </p>
  );
}
