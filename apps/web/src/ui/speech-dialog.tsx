import { useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatList, type Span, timeLabel } from '../platform/format/format.ts';
import { Button } from './button.tsx';
import dialogStyles from './dialog.module.css';
import styles from './speech.module.css';

/** A recording about to be sent, in which somebody speaks or that could not be checked. */
export interface Heard {
  readonly file: File;
  /** Spans with speech, in order of time; null if it could not be checked. */
  readonly speech: readonly Span[] | null;
}

interface Properties {
  readonly recordings: readonly Heard[];
  /** Makes a copy of the recording with those spans silenced. */
  readonly silence: (file: File, spans: readonly Span[]) => Promise<File>;
  /** Called at the end with what to send of each recording, null for nothing; not called when the dialog was cancelled. */
  readonly onDone: (files: readonly (File | null)[]) => void;
  readonly onCancel: () => void;
}

/** Asks about each recording what to send of it. */
export function SpeechDialog({ recordings, silence, onDone, onCancel }: Properties) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [answers, setAnswers] = useState<readonly (File | null)[]>([]);
  const { t } = useTranslation();
  const present = recordings[answers.length];
  useEffect(() => {
    dialog.current?.showModal();
    return () => document.getElementById('main')?.focus({ preventScroll: true });
  }, []);
  const answer = (given: File | null) => {
    const all = [...answers, given];
    if (all.length < recordings.length) setAnswers(all);
    else onDone(all);
  };
  return createPortal(
    <dialog ref={dialog} className={`card ${dialogStyles.dialog}`} aria-labelledby={titleId} onClose={onCancel}>
      <h2 id={titleId}>{t('local.speech.title')}</h2>
      {present && <Question key={answers.length} recording={present} silence={silence} onAnswer={answer} />}
    </dialog>,
    document.body,
  );
}

interface QuestionProperties extends Pick<Properties, 'silence'> {
  readonly recording: Heard;
  readonly onAnswer: (file: File | null) => void;
}

function Question({ recording, silence, onAnswer }: QuestionProperties) {
  const { t, i18n } = useTranslation();
  const { file, speech: spans } = recording;
  const [silenced, setSilenced] = useState<File | null>(null);
  const question = useRef<HTMLParagraphElement>(null);
  // The parent passes a new function on every render, but the work must start only once.
  const latestSilence = useRef(silence);
  latestSilence.current = silence;
  useEffect(() => {
    // The button that had the focus was removed.
    question.current?.focus();
    if (!spans) return;
    let isWanted = true;
    latestSilence.current(file, spans).then(
      (made) => isWanted && setSilenced(made),
      () => {}, // the other two answers remain
    );
    return () => {
      isWanted = false;
    };
  }, [file, spans]);
  const inWords = (spans ?? []).map(({ startSeconds, endSeconds }) =>
    t('local.speech.span', { start: timeLabel(Math.floor(startSeconds)), end: timeLabel(Math.ceil(endSeconds)) }),
  );
  return (
    <div className={`stack-tight ${styles.question}`}>
      <p className="strong file-name">
        <bdi>{file.name}</bdi>
      </p>
      <p ref={question} tabIndex={-1} role="alert">
        {spans ? t('local.speech.found', { spans: formatList(inWords, i18n.language) }) : t('local.speech.unknown')}
      </p>
      {spans && <p className="soft">{t('local.speech.missed')}</p>}
      {spans && silenced && <p className="soft">{t('local.speech.size', { size: formatBytes(silenced.size, i18n.language) })}</p>}
      <div className="cluster">
        {spans && (
          <Button look="main" isDisabled={silenced === null} onClick={() => silenced && onAnswer(silenced)}>
            {t('local.speech.silence')}
          </Button>
        )}
        <Button onClick={() => onAnswer(file)}>{t('local.speech.asItIs')}</Button>
        <Button onClick={() => onAnswer(null)}>{t('local.speech.leaveOut')}</Button>
      </div>
    </div>
  );
}
