import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatPercent } from '../../platform/format.ts';
import { languageTag } from '../../platform/species-language.ts';
import { prepareSpectrogramWorker } from '../../ui/timeline/spectrogram-worker-client.ts';
import { timeLabel } from '../../ui/timeline/time-label.ts';
import styles from './detection.module.css';
import type { ListeningReport, PredictionState } from './prediction-state.ts';
import { StageHeading } from './stage-heading.tsx';

interface Properties {
  /** `idle`: it waits behind other recordings. */
  readonly state: Extract<PredictionState, { kind: 'idle' | 'uploading' | 'listening' }>;
  readonly recording: {
    readonly name: string;
    /** bytes; absent where only the server has it */
    readonly size?: number;
  };
  /** Language of species names, as the server names it; null where nobody knows. */
  readonly language: string | null;
  readonly onCancel: () => void;
}

/** Each bird once, from when it was first heard, in that order. */
function firstHeard(detections: ListeningReport['detections']): ListeningReport['detections'] {
  const first = new Map<string, ListeningReport['detections'][number]>();
  for (const detection of detections.toSorted((one, other) => one.startSeconds - other.startSeconds))
    if (!first.has(detection.scientificName)) first.set(detection.scientificName, detection);
  return [...first.values()];
}

/** What the recogniser has come across up to now; only the whole recording tells how sure that is. */
function HeardSoFar({ report, language }: { readonly report: ListeningReport | null; readonly language: string | null }) {
  const { t } = useTranslation();
  const heard = firstHeard(report?.detections ?? []);
  return (
    <div className={styles.heardSoFar} data-empty={heard.length === 0}>
      <h2 className={styles.heardTitle}>{t('progress.heardSoFar')}</h2>
      <p className={styles.fileLine}>{t('progress.heardHelp')}</p>
      <ul className={styles.heardList} aria-live="polite" aria-relevant="additions">
        {heard.map(({ scientificName, commonName, startSeconds }) => (
          <li key={scientificName}>
            <span lang={language === null ? undefined : languageTag(language)}>{commonName}</span>{' '}
            <i lang="la">{scientificName}</i> <span className={styles.fileLine}>{timeLabel(startSeconds)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const titles = {
  idle: 'queue.waitingTitle',
  uploading: 'progress.uploadingTitle',
  listening: 'progress.listeningTitle',
} as const;

/** How far it is, in words and percent. Read out at every quarter, not at every percent. */
export function ProgressStage({ state, recording, language, onCancel }: Properties) {
  const { t, i18n } = useTranslation();
  useEffect(prepareSpectrogramWorker, []);
  const report = state.kind === 'listening' ? state.report : null;
  const progress = state.kind === 'uploading' ? state.progress : (report?.fraction ?? null);
  const inWords = (share: number | null) => {
    if (state.kind === 'idle') return t('queue.waiting');
    if (report?.stage === 'queued') return t('progress.queued');
    const percent = share === null ? '' : formatPercent(Math.floor(share * 100) / 100, i18n.language);
    if (state.kind === 'uploading') return t('progress.uploading', { percent });
    return share === null ? t('progress.listening') : t('progress.listeningPercent', { percent });
  };
  const isOpen = progress === null && state.kind !== 'idle';
  const title = t(titles[state.kind]);
  return (
    <section className={styles.progress}>
      <StageHeading>{title}</StageHeading>
      <p className={styles.fileLine}>
        <bdi className={styles.fileName}>{recording.name}</bdi>
        {recording.size !== undefined && ` · ${formatBytes(recording.size, i18n.language)}`}
      </p>
      <div
        className={styles.progressBar}
        role="progressbar"
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={progress === null ? undefined : Math.floor(progress * 100)}
        aria-valuetext={inWords(progress)}
      >
        <div
          // Another element: the full bar of before would run back to the value and for a while say more than the words.
          key={`${state.kind}, ${isOpen ? 'open' : 'measured'}`}
          className={styles.progressValue}
          data-open={isOpen}
          style={{ width: progress === null ? undefined : `${progress * 100}%` }}
        />
      </div>
      <p className={styles.progressWords}>{inWords(progress)}</p>
      <p className="visually-hidden" role="status">
        {inWords(progress === null ? null : Math.floor(progress * 4) / 4)}
      </p>
      <button type="button" className="button button-quiet" onClick={onCancel}>
        {t('action.cancel')}
      </button>
      {state.kind === 'listening' && <HeardSoFar report={report} language={language} />}
    </section>
  );
}
