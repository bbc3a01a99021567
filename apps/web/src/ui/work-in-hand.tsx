import type { PredictionInWork } from '@chiffchaff/contract';
import { Link } from 'react-router';
import { useTranslation } from '../languages/i18n.ts';
import { analysisInWords, wholePercent } from '../platform/format/progress-words.ts';
import styles from './work-in-hand.module.css';

function Name({ fileName }: Pick<PredictionInWork, 'fileName'>) {
  const { t } = useTranslation();
  return <bdi className={`strong ${styles.name}`}>{fileName ?? t('answer.noName')}</bdi>;
}

const addressOf = (id: string): string => `/history/${encodeURIComponent(id)}`;

interface Properties {
  readonly inWork: readonly PredictionInWork[];
  /** Recordings whose analysis ended while the page was open. */
  readonly ended: readonly (Pick<PredictionInWork, 'id' | 'fileName'> & { readonly isAnswered: boolean })[];
}

/** Recordings that are queued or being analysed, here or on another device, and those that just ended, each with a link. */
export function WorkInHand({ inWork, ended }: Properties) {
  const { t, i18n } = useTranslation();
  return (
    <section
      className={`stack-tight wash ${styles.inHand}`}
      aria-labelledby="in-hand-title"
      hidden={inWork.length + ended.length === 0}
    >
      <h2 id="in-hand-title">{t('inHand.title')}</h2>
      <p role="status" className="visually-hidden">
        {ended.length > 0 ? t('inHand.someEnded', { count: ended.length }) : ''}
      </p>
      <ul className="stack-tight">
        {inWork.map((work) => (
          <li key={work.id} className="stack gap-small">
            <Link to={addressOf(work.id)} className={`cluster-tight finger ${styles.open}`}>
              <Name fileName={work.fileName} />
              <span>{analysisInWords(work, t, i18n.language)}</span>
            </Link>
            <progress
              className={styles.bar}
              aria-label={t('inHand.progressOf', { name: work.fileName ?? t('answer.noName') })}
              value={work.fraction === null ? undefined : wholePercent(work.fraction)}
              max={100}
            />
          </li>
        ))}
        {ended.map(({ id, fileName, isAnswered }) => (
          <li key={id} className="stack gap-small">
            <Link to={addressOf(id)} className={`cluster-tight finger ${styles.open}`}>
              <Name fileName={fileName} />
              <span>{t(isAnswered ? 'inHand.answered' : 'inHand.failed')}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
