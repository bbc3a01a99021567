import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from '../languages/i18n.ts';
import { formatBytes, formatList, type Span, timeLabel } from '../platform/format/format.ts';
import { Button } from './button.tsx';
import { Modal } from './modal.tsx';

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
  const [answers, setAnswers] = useState<readonly (File | null)[]>([]);
  const { t } = useTranslation();
  const present = recordings[answers.length];
  const answer = (given: File | null) => {
    const all = [...answers, given];
    if (all.length < recordings.length) setAnswers(all);
    else onDone(all);
  };
  return (
    <Modal title={t('local.speech.title')} onClose={onCancel}>
      {present && <Question key={answers.length} recording={present} silence={silence} onAnswer={answer} />}
    </Modal>
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
  const latestSilence = useEffectEvent(silence);
  useEffect(() => {
    // The button that had the focus was removed.
    question.current?.focus();
    if (!spans) return;
    let isWanted = true;
    latestSilence(file, spans).then(
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
    <div className="stack-tight">
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
