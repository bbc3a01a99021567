import { useEffect, useState } from 'react';
import type { AnalysisReport } from '../../platform/sending/request-prediction.ts';
import { LABEL_ROW_REM, labelPixels, placeLabels } from '../../ui/timeline/marks/mark.ts';
import { type FirstLook, lookAt } from '../../ui/timeline/sound/hindrance.ts';
import { prepareSpectrogramWorker } from '../../ui/timeline/spectrogram/spectrogram-worker-client.ts';
import { usePicture } from '../../ui/timeline/spectrogram/use-painted-levels.ts';
import { useSpectrogramSource } from '../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { useSize } from '../../ui/timeline/view/use-size.ts';
import styles from './detection.module.css';

interface Properties {
  readonly recording: Blob;
  /** How much of it has been analysed, 0–1. */
  readonly fraction: number;
  readonly heard: AnalysisReport['detections'];
}

/** A recording in ink, drawn as far as it has been analysed, with each bird's name where it was first heard; nothing if it cannot be drawn. */
export function ProgressPicture(properties: Properties) {
  const { recording } = properties;
  const [look, setLook] = useState<FirstLook | null>(null);
  useEffect(() => {
    let isShown = true;
    void lookAt(recording).then((found) => isShown && setLook(found));
    return () => {
      isShown = false;
    };
  }, [recording]);
  if (look === null || look.hindrance !== null || look.durationSeconds === null) return null;
  return <Picture {...properties} durationSeconds={look.durationSeconds} />;
}

/** Decorative: the progress and the list of birds say the same. */
function Picture({ recording, fraction, heard, durationSeconds }: Properties & { readonly durationSeconds: number }) {
  const { element, width } = useSize<HTMLDivElement>();
  const spectrogram = useSpectrogramSource(recording, null, durationSeconds);
  const source = spectrogram.kind === 'ready' ? spectrogram.source : null;
  const canvas = usePicture(source, { startSeconds: 0, endSeconds: durationSeconds }, width);
  useEffect(() => {
    // The result draws the recording again, with another worker.
    if (source) prepareSpectrogramWorker();
  }, [source]);
  const labelled = heard.map((bird) => ({ ...bird, confidence: bird.score }));
  const roomOf = ({ commonName }: (typeof labelled)[number]) => (labelPixels(commonName) / width) * durationSeconds;
  const labels = width === 0 ? [] : placeLabels(labelled, roomOf, durationSeconds);
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
