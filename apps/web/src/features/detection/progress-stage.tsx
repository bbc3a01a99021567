import { isAtLeastPerhaps } from '@chiffchaff/contract';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes, timeLabel } from '../../platform/format/format.ts';
import { wholePercent } from '../../platform/format/progress-words.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import type { AnalysisReport } from '../../platform/sending/request-prediction.ts';
import { Button } from '../../ui/button.tsx';
import { StageHeading } from '../../ui/stage-heading.tsx';
import { prepareSpectrogramWorker } from '../../ui/timeline/spectrogram/spectrogram-worker-client.ts';
import styles from './detection.module.css';
import { progressInWords, type UnfinishedState } from './prediction-state.ts';
import { ProgressPicture } from './progress-picture.tsx';

interface Properties {
  readonly state: UnfinishedState;
  /** Drawn if the page has it. */
  readonly recording: {
    readonly name: string;
    /** bytes; absent if only the server has it */
    readonly size?: number;
  };
  /** Language of species names, as the server's code; null if it is not known. */
  readonly language: string | null;
  readonly onCancel: () => void;
  /** Sends the recording without searching it for speech. */
  readonly onSkipCheck?: () => void;
}

function firstHeard(detections: AnalysisReport['detections']): AnalysisReport['detections'] {
  const first = new Map<string, AnalysisReport['detections'][number]>();
  for (const detection of detections.toSorted((one, other) => one.startSeconds - other.startSeconds))
    if (!first.has(detection.scientificName)) first.set(detection.scientificName, detection);
  return [...first.values()];
}

const isNamed = ({ confidenceWord = 'none' }: AnalysisReport['detections'][number]) => isAtLeastPerhaps(confidenceWord);

function HeardSoFar({ report, language }: { readonly report: AnalysisReport | null; readonly language: string | null }) {
  const { t } = useTranslation();
  const detections = report?.detections ?? [];
  const named = detections.filter(isNamed);
  const heard = firstHeard(named);
  const faint = detections.length - named.length;
  return (
    <div className={`stack-tight parted ${styles.heardSoFar}`} hidden={detections.length === 0}>
      <h2>{t('progress.heardSoFar')}</h2>
      <p className="soft">{t('progress.heardHelp')}</p>
      <ul className="stack gap-small" aria-live="polite" aria-relevant="additions">
        {heard.map(({ scientificName, commonName, startSeconds }) => (
          <li key={scientificName}>
            <span lang={language === null ? undefined : languageTag(language)}>{commonName}</span>{' '}
            <i lang="la">{scientificName}</i> <span className="soft">{timeLabel(startSeconds)}</span>
          </li>
        ))}
      </ul>
      {faint > 0 && <p className="soft">{t('progress.faint', { count: faint })}</p>}
    </div>
  );
}

const titles = {
  idle: 'queue.waitingTitle',
  checking: 'local.speech.title',
  uploading: 'progress.uploadingTitle',
  listening: 'progress.listeningTitle',
} as const;

/** Whether to announce the words: not at every percent, but when the kind of message changes, and at each quarter. */
function useIsNews(words: string, kind: string): boolean {
  const [news, setNews] = useState({ words, kind });
  if (news.kind === kind) return news.words === words;
  setNews({ words, kind });
  return true;
}

export function ProgressStage({ state, recording, language, onCancel, onSkipCheck }: Properties) {
  const { t, i18n } = useTranslation();
  useEffect(prepareSpectrogramWorker, []);
  const report = state.kind === 'listening' ? state.report : null;
  const progress = 'progress' in state ? state.progress : (report?.fraction ?? null);
  const percent = progress === null ? null : wholePercent(progress);
  const words = progressInWords(state, t, i18n.language);
  const isNews = useIsNews(words, percent === null ? words : `${state.kind}, quarter ${Math.floor(percent / 25)}`);
  const isOpen = progress === null && state.kind !== 'idle';
  const title = t(titles[state.kind]);
  return (
    <section className={styles.progress}>
      <StageHeading>{title}</StageHeading>
      <p className="soft">
        <bdi className="file-name">{recording.name}</bdi>
        {recording.size !== undefined && ` · ${formatBytes(recording.size, i18n.language)}`}
      </p>
      <div
        className={styles.progressBar}
        role="progressbar"
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent ?? undefined}
        aria-valuetext={words}
      >
        <div
          // A new element for each kind: the previous full bar would shrink to the new value and show too much meanwhile.
          key={`${state.kind}, ${isOpen ? 'open' : 'measured'}`}
          className={styles.progressValue}
          data-open={isOpen}
          style={{ width: percent === null ? undefined : `${percent}%` }}
        />
        {recording instanceof Blob && (
          <ProgressPicture
            recording={recording}
            fraction={report?.fraction ?? 0}
            heard={firstHeard((report?.detections ?? []).filter(isNamed))}
          />
        )}
      </div>
      {/* Screen readers announce the visible text: there is only one. */}
      <p className={styles.progressWords} role="status" aria-live={isNews ? 'polite' : 'off'}>
        {words}
      </p>
      <div className="cluster">
        {state.kind === 'checking' && onSkipCheck && <Button onClick={onSkipCheck}>{t('local.speech.skip')}</Button>}
        <Button onClick={onCancel}>{t('action.cancel')}</Button>
      </div>
      {state.kind === 'listening' && <HeardSoFar report={report} language={language} />}
    </section>
  );
}
