import { isAtLeastPerhaps } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { formatBytes, timeLabel } from '../../platform/format/format.ts';
import { wholePercent } from '../../platform/format/progress-words.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import type { AnalysisReport } from '../../platform/sending/request-prediction.ts';
import { Button } from '../../ui/button.tsx';
import { StageHeading } from '../../ui/stage-heading.tsx';
import { LABEL_ROW_REM, labelPixels, placeLabels } from '../../ui/timeline/marks/mark.ts';
import { prepareSpectrogramWorker } from '../../ui/timeline/spectrogram/spectrogram-worker-client.ts';
import { usePicture } from '../../ui/timeline/spectrogram/use-painted-levels.ts';
import { useSpectrogramSource } from '../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { useSize } from '../../ui/timeline/view/use-size.ts';
import { lookQuery } from './choose/use-chosen-recordings.ts';
import styles from './detection.module.css';
import { progressInWords, type UnfinishedState } from './prediction-state.ts';

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

const firstHeard = (detections: AnalysisReport['detections']): AnalysisReport['detections'] => {
  const byTime = detections.toSorted((one, other) => one.startSeconds - other.startSeconds);
  return [...Map.groupBy(byTime, ({ scientificName }) => scientificName).values()].flatMap(([first]) => first ?? []);
};

const isNamed = ({ confidenceWord = 'none' }: AnalysisReport['detections'][number]) => isAtLeastPerhaps(confidenceWord);

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
  const detections = report?.detections ?? [];
  const named = detections.filter(isNamed);
  const heard = firstHeard(named);
  const faint = detections.length - named.length;
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
        className={`progress ${styles.progressBar}`}
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
        {recording instanceof File && <ProgressPicture recording={recording} fraction={report?.fraction ?? 0} heard={heard} />}
      </div>
      {/* Screen readers announce the visible text: there is only one. */}
      <p className={styles.progressWords} role="status" aria-live={isNews ? 'polite' : 'off'}>
        {words}
      </p>
      <div className="cluster">
        {state.kind === 'checking' && onSkipCheck && <Button onClick={onSkipCheck}>{t('local.speech.skip')}</Button>}
        <Button onClick={onCancel}>{t('action.cancel')}</Button>
      </div>
      {state.kind === 'listening' && (
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
      )}
    </section>
  );
}

interface PictureProperties {
  readonly recording: File;
  /** How much of it has been analysed, 0–1. */
  readonly fraction: number;
  readonly heard: AnalysisReport['detections'];
}

/** A recording in ink, drawn as far as it has been analysed, with each bird's name where it was first heard; nothing if it cannot be drawn. */
export function ProgressPicture(properties: PictureProperties) {
  const { data: look } = useQuery(lookQuery(properties.recording));
  if (look === undefined || look.hindrance !== null || look.durationSeconds === null) return null;
  return <Picture {...properties} durationSeconds={look.durationSeconds} />;
}

/** Decorative: the progress and the list of birds say the same. */
function Picture({ recording, fraction, heard, durationSeconds }: PictureProperties & { readonly durationSeconds: number }) {
  const { element, width, height } = useSize<HTMLDivElement>();
  const spectrogram = useSpectrogramSource(recording, null, durationSeconds);
  const source = spectrogram.kind === 'ready' ? spectrogram.source : null;
  const canvas = usePicture(source, { startSeconds: 0, endSeconds: durationSeconds }, width);
  useEffect(() => {
    // The result draws the recording again, with another worker.
    if (source) prepareSpectrogramWorker();
  }, [source]);
  const labelled = heard.map((bird) => ({ ...bird, confidence: bird.score }));
  const roomOf = ({ commonName }: (typeof labelled)[number]) => (labelPixels(commonName) / width) * durationSeconds;
  const labels = width === 0 ? [] : placeLabels(labelled, roomOf, durationSeconds, height);
  return (
    <div ref={element} className={styles.picture} aria-hidden="true">
      <canvas ref={canvas} style={{ clipPath: `inset(0 ${100 - fraction * 100}% 0 0)` }} />
      {labels.map(({ mark, row, startSeconds }) => (
        <span
          key={mark.scientificName}
          style={{ left: `${(startSeconds / durationSeconds) * 100}%`, top: `${row * LABEL_ROW_REM}rem` }}
        >
          {mark.commonName}
        </span>
      ))}
    </div>
  );
}
