import type { PredictionSummary } from '@chiffchaff/contract';
import { IconTrash } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { dateLocale, formatDuration, formatList, formatPercent } from '../../platform/format.ts';
import { languageTag } from '../../platform/species-language.ts';
import { wordFor } from '../../platform/words.ts';
import styles from './history.module.css';

interface Properties {
  readonly prediction: PredictionSummary;
  /** Language of its names, as the server names it. */
  readonly namesIn: string | null;
  readonly onDelete: () => void;
}

/** What an answer says, where it names no bird. */
function wordsWithoutName({ verdict }: PredictionSummary, t: TFunction): string {
  if (verdict.kind === 'noBird') return t('answer.noBird');
  return verdict.tied ? t('history.tied') : t('history.unsure');
}

/** One answer: which birds it names, of which recording, and when that was. */
export function PredictionRow({ prediction, namesIn, onDelete }: Properties) {
  const { t, i18n } = useTranslation();
  const { id, createdAt, fileName, durationSeconds, species, keptAudio } = prediction;
  const time = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
  const names = formatList(
    species.map(({ commonName }) => commonName),
    i18n.language,
  );
  const [surest] = species;
  const recording = fileName ?? t('answer.noName');
  return (
    <li className={styles.row}>
      <Link to={`/history/${encodeURIComponent(id)}`} className={styles.open}>
        <span className={styles.birds} lang={surest && namesIn !== null ? languageTag(namesIn) : undefined}>
          {surest ? names : wordsWithoutName(prediction, t)}
        </span>
        <span className={styles.soft}>
          {surest &&
            `${t('answer.meter', {
              word: t(`word.${wordFor(surest.confidence)}`),
              percent: surest.confidence > 0.99 ? t('answer.over') : formatPercent(surest.confidence, i18n.language),
            })} · `}
          <bdi className={styles.fileName}>{recording}</bdi> · {formatDuration(durationSeconds, i18n.language)} ·{' '}
          <time dateTime={createdAt}>{time.format(new Date(createdAt))}</time>
          {keptAudio !== null && ` · ${t('history.withSound')}`}
        </span>
      </Link>
      <button type="button" className={styles.remove} aria-label={t('history.delete', { name: recording })} onClick={onDelete}>
        <IconTrash aria-hidden="true" />
      </button>
    </li>
  );
}
