import { useTranslation } from 'react-i18next';
import { formatBytes, formatPercent } from '../../platform/format.ts';
import styles from './detection.module.css';
import type { PredictionState } from './prediction-state.ts';
import { StageHeading } from './stage-heading.tsx';

interface Properties {
  readonly state: Extract<PredictionState, { kind: 'uploading' | 'listening' }>;
  readonly file: File;
  readonly onCancel: () => void;
}

/** How far it is, in words and percent. Read out at every quarter, not at every percent. */
export function ProgressStage({ state, file, onCancel }: Properties) {
  const { t, i18n } = useTranslation();
  const inWords = (progress: number | null) => {
    const percent = progress === null ? '' : formatPercent(Math.floor(progress * 100) / 100, i18n.language);
    if (state.kind === 'uploading') return t('progress.uploading', { percent });
    return progress === null ? t('progress.listening') : t('progress.listeningPercent', { percent });
  };
  const { progress } = state;
  return (
    <section className={styles.progress}>
      <StageHeading>{t(state.kind === 'uploading' ? 'progress.uploadingTitle' : 'progress.listeningTitle')}</StageHeading>
      <p className={styles.fileLine}>
        {file.name} · {formatBytes(file.size, i18n.language)}
      </p>
      <div
        className={styles.progressBar}
        role="progressbar"
        aria-label={t(state.kind === 'uploading' ? 'progress.uploadingTitle' : 'progress.listeningTitle')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={progress === null ? undefined : Math.floor(progress * 100)}
        aria-valuetext={inWords(progress)}
      >
        <div
          className={styles.progressValue}
          data-open={progress === null}
          style={progress === null ? undefined : { width: `${progress * 100}%` }}
        />
      </div>
      <p className={styles.progressWords}>{inWords(progress)}</p>
      <p className="visually-hidden" role="status">
        {inWords(progress === null ? null : Math.floor(progress * 4) / 4)}
      </p>
      <button type="button" className="button button-quiet" onClick={onCancel}>
        {t('action.cancel')}
      </button>
    </section>
  );
}
