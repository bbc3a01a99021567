import { useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatList, formatPercent, type Span, timeLabel } from '../platform/format/format.ts';
import { checkSpeech } from '../platform/speech/check-speech.ts';
import { Button } from './button.tsx';
import dialogStyles from './dialog.module.css';
import styles from './speech.module.css';

/** A recording about to be sent. */
export interface ToBeSent {
  readonly file: File;
  /** Spans with speech, in order of time; null while unknown. */
  readonly speech: readonly Span[] | null;
}

interface Properties {
  readonly recordings: readonly ToBeSent[];
  /** Makes a copy of the recording with those spans silenced. */
  readonly silence: (file: File, spans: readonly Span[]) => Promise<File>;
  /** Called at the end with what to send of each recording, null for nothing; not called when the dialog was cancelled. */
  readonly onDone: (files: readonly (File | null)[]) => void;
  readonly onCancel: () => void;
}

/**
 * Looks for speech in recordings before they are sent, and asks about each one that has any or cannot be checked. The model must be
 * installed.
 */
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
  const answer = (...given: readonly (File | null)[]) => {
    const all = [...answers, ...given];
    if (all.length < recordings.length) setAnswers(all);
    else onDone(all);
  };
  return createPortal(
    <dialog ref={dialog} className={`card ${dialogStyles.dialog}`} aria-labelledby={titleId} onClose={onCancel}>
      <h2 id={titleId}>{t('local.speech.title')}</h2>
      {present && (
        <Question
          key={answers.length}
          recording={present}
          silence={silence}
          onAnswer={answer}
          onSkip={() => answer(...recordings.slice(answers.length).map(({ file }) => file))}
          onCancel={() => dialog.current?.close()}
        />
      )}
    </dialog>,
    document.body,
  );
}

interface QuestionProperties extends Pick<Properties, 'silence' | 'onCancel'> {
  readonly recording: ToBeSent;
  readonly onAnswer: (file: File | null) => void;
  readonly onSkip: () => void;
}

type Check =
  | { readonly kind: 'looking'; readonly fraction: number }
  | { readonly kind: 'found'; readonly spans: readonly Span[] }
  /** The recording cannot be decoded here, or the recogniser does not work. */
  | { readonly kind: 'unknown' };

function Question({ recording, silence, onAnswer, onSkip, onCancel }: QuestionProperties) {
  const { t, i18n } = useTranslation();
  const { file, speech } = recording;
  const [check, setCheck] = useState<Check>(speech ? { kind: 'found', spans: speech } : { kind: 'looking', fraction: 0 });
  const [silenced, setSilenced] = useState<File | null>(null);
  const question = useRef<HTMLParagraphElement>(null);
  // The parent passes new functions on every render, but the work must start only once.
  const latest = useRef({ silence, onAnswer });
  latest.current = { silence, onAnswer };

  useEffect(() => {
    if (speech) return;
    const controller = new AbortController();
    const { signal } = controller;
    checkSpeech(file, { signal, onProgress: (fraction) => setCheck({ kind: 'looking', fraction }) }).then(
      (spans) => !signal.aborted && setCheck({ kind: 'found', spans: spans ?? [] }),
      () => !signal.aborted && setCheck({ kind: 'unknown' }),
    );
    return () => controller.abort();
  }, [file, speech]);

  const spans = check.kind === 'found' ? check.spans : null;
  useEffect(() => {
    if (spans?.length === 0) latest.current.onAnswer(file);
    if (!spans || spans.length === 0) return;
    let isWanted = true;
    latest.current.silence(file, spans).then(
      (made) => isWanted && setSilenced(made),
      () => {}, // the other two answers remain
    );
    return () => {
      isWanted = false;
    };
  }, [file, spans]);
  useEffect(() => {
    // The button that had the focus was removed.
    if (check.kind !== 'looking') question.current?.focus();
  }, [check.kind]);

  const name = (
    <p className={`strong ${styles.name}`}>
      <bdi>{file.name}</bdi>
    </p>
  );
  if (check.kind === 'looking') {
    const percent = formatPercent(Math.floor(check.fraction * 100) / 100, i18n.language);
    return (
      <div className={`stack-tight ${styles.question}`}>
        {name}
        <p>{t('local.speech.looking')}</p>
        <progress className={styles.bar} aria-label={t('local.speech.title')} value={check.fraction} max={1}>
          {percent}
        </progress>
        <div className="cluster">
          <Button onClick={onSkip}>{t('local.speech.skip')}</Button>
          <Button onClick={onCancel}>{t('action.cancel')}</Button>
        </div>
      </div>
    );
  }
  if (spans?.length === 0) return null;
  const inWords = (spans ?? []).map(({ startSeconds, endSeconds }) =>
    t('local.speech.span', { start: timeLabel(Math.floor(startSeconds)), end: timeLabel(Math.ceil(endSeconds)) }),
  );
  return (
    <div className={`stack-tight ${styles.question}`}>
      {name}
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
