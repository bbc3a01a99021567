import type { Prediction } from '@chiffchaff/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentType, useEffect, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { withReviews } from '../../../platform/api/bird-reviews.ts';
import { useStore } from '../../../platform/browser/store.ts';
import { formatDuration, localTime } from '../../../platform/format/format.ts';
import { percentInWords } from '../../../platform/format/progress-words.ts';
import { deviceTimeZone } from '../../../platform/format/time-zone.ts';
import type { DeviceAnswer, DeviceQuestion, DeviceRecognizer } from '../../../platform/on-device/device-recognizer.ts';
import { outboxCount } from '../../../platform/outbox/outbox-page.ts';
import { deleteSession, type RecordedSession, readSamples, readSession } from '../../../platform/recording/sessions.ts';
import { nothingKnown } from '../../../platform/sending/requested-conditions.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { FollowsAnotherStage, HeadingNote, StageHeading } from '../../../ui/stage-heading.tsx';
import styles from '../listen.module.css';
import { Discard, downloadSession, SaveSession } from './kept-sessions.tsx';

/** Properties of the result screen as used here. */
export interface AnswerProperties {
  readonly prediction: Prediction;
  readonly recording: File | null;
  readonly keptAudio: null;
  readonly isKept: false;
  readonly reconsider: ((question: DeviceQuestion) => Promise<Prediction>) | null;
  readonly onReconsidered: (prediction: Prediction) => void;
  readonly onAnother: () => void;
}

interface Properties {
  /** Save it at once: its owner has signed in for that. */
  readonly isWanted: boolean;
  /** Id of the session whose audio is stored here. */
  readonly id: string;
  /** The prediction made during the recording; null if the analysis is still to be done. */
  readonly answer: DeviceAnswer | null;
  /** of species names, as the server's code */
  readonly language: string | null;
  readonly openRecognizer: () => Promise<DeviceRecognizer>;
  readonly AnswerStage: ComponentType<AnswerProperties>;
  readonly onSaved: () => void;
  readonly onAgain: () => void;
}

/** The request: where and when the session was recorded, not where the device is now. */
const questionAt = ({ place, startedAt }: RecordedSession, language: string | null): DeviceQuestion => ({
  ...nothingKnown,
  place: place?.kind === 'place' ? { latitude: place.latitude, longitude: place.longitude } : null,
  timeZone: place?.kind === 'clock' ? deviceTimeZone() : null,
  date: localTime(startedAt).slice(0, 10),
  language,
});

const ONLY_HERE_ID = 'only-here';

/** What was heard in a session, and actions for its audio. */
export function EndedSession(properties: Properties) {
  const { id, answer: liveAnswer, AnswerStage, onSaved, onAgain } = properties;
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const [share, setShare] = useState(0);
  const [changed, setChanged] = useState<Prediction | null>(null);
  /** The key of its prediction; null until it is saved. */
  const [savedAs, setSavedAs] = useState<string | null>(null);
  const isSaved = savedAs !== null;
  const isArriving = useStore(outboxCount) > 0;
  const { data: kept } = useQuery({
    queryKey: ['device', 'session', id],
    // There is a prediction even if the browser stored no audio.
    queryFn: () => readSession(id).catch(() => null),
    gcTime: 0,
  });
  const session = kept?.session ?? null;
  const analyze = async (signal: AbortSignal): Promise<DeviceAnswer> => {
    if (!kept) throw new Error('No audio is stored');
    const { sampleRate, durationSeconds } = kept.session;
    const recognizer = await properties.openRecognizer();
    return recognizer.analyse(readSamples(id), {
      question: questionAt(kept.session, properties.language),
      recording: { fileName: kept.file.name, container: 'wav', codec: 'pcm_s16le', sampleRate, channels: 1 },
      signal,
      onProgress: ({ analysedSeconds }) => setShare(analysedSeconds / durationSeconds),
    });
  };
  /** That made while it was recorded, if there is one: then only another place or date needs an analysis. */
  const answerOf = async (signal: AbortSignal): Promise<DeviceAnswer> => {
    if (liveAnswer) return liveAnswer;
    if (!session?.answer) return analyze(signal);
    return { ...session.answer, reconsider: async (question) => (await analyze(signal)).reconsider(question) };
  };
  const {
    data: answer,
    isError,
    refetch,
  } = useQuery({
    queryKey: ['device', 'answer', id],
    queryFn: ({ signal }) => answerOf(signal),
    enabled: kept !== undefined,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  /** with what was said of the birds while they sang */
  const answered = useMemo(() => {
    if (answer === undefined) return null;
    return { ...answer, prediction: withReviews(changed ?? answer.prediction, session?.reviews ?? []) };
  }, [answer, session, changed]);
  const missingSeconds = (session?.gaps ?? []).reduce((sum, gap) => sum + gap.missingSeconds, 0);
  const discard = async () => {
    await deleteSession(id);
    queries.removeQueries({ queryKey: ['device'] });
    onAgain();
  };
  // Once saved, it is in the outbox; its audio is still played from here until the user leaves the screen.
  useEffect(() => (isSaved ? () => void deleteSession(id).catch(() => {}) : undefined), [id, isSaved]);
  const leave = async () => {
    if (isSaved) await deleteSession(id).catch(() => {});
    onAgain();
  };
  const words = t('listen.analysing', { percent: percentInWords(Math.min(1, share), i18n.language) });
  const ended = (
    <section className={`stack ${styles.ended}`}>
      {answered === null && <StageHeading>{t('listen.analysingTitle')}</StageHeading>}
      {missingSeconds > 0 && (
        <p className="soft">{t('listen.missing', { duration: formatDuration(Math.round(missingSeconds), i18n.language) })}</p>
      )}
      {isSaved && (
        <div role="status" className="cluster apart wash">
          <p>{t(isArriving ? 'outbox.putAside' : 'unkept.kept')}</p>
          <Link to={isArriving ? '/history' : `/history/${savedAs}`} className="link">
            {t(isArriving ? 'layout.history' : 'outbox.open')}
          </Link>
        </div>
      )}
      {session && !isSaved && (
        <div className="cluster apart wash">
          <p id={ONLY_HERE_ID}>{t('listen.onlyHere')}</p>
          <div className="cluster-tight">
            {answered && kept && (
              <SaveSession
                session={session}
                file={kept.file}
                speech={answered.speech}
                prediction={answered.prediction}
                question={questionAt(session, properties.language)}
                isWanted={properties.isWanted}
                onSaved={(key) => {
                  setSavedAs(key);
                  onSaved();
                }}
              />
            )}
            <Button onClick={() => void downloadSession(id)}>{t('listen.downloadSound')}</Button>
            <Discard onDiscard={discard} />
          </div>
        </div>
      )}
      {kept === null && <p className="soft">{t('listen.noSound')}</p>}
      {isError && (
        <Notice tone="warning" title={t('listen.notAnalysed')} announce onRetry={() => void refetch()}>
          <p>
            <Button onClick={onAgain}>{t('listen.again')}</Button>
          </p>
        </Notice>
      )}
      {!answer && !isError && (
        <>
          <div
            className="progress"
            role="progressbar"
            aria-label={t('listen.analysingTitle')}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(100 * share)}
            aria-valuetext={words}
          >
            <div style={{ width: `${100 * share}%` }} />
          </div>
          <p className="soft">{words}</p>
          <Button onClick={onAgain}>{t('action.cancel')}</Button>
        </>
      )}
      {answered && (
        <AnswerStage
          prediction={answered.prediction}
          recording={kept?.file ?? null}
          keptAudio={null}
          isKept={false}
          reconsider={answered.reconsider}
          onReconsidered={setChanged}
          onAnother={() => void leave()}
        />
      )}
    </section>
  );
  return (
    <FollowsAnotherStage value>
      <HeadingNote value={session && !isSaved ? ONLY_HERE_ID : undefined}>{ended}</HeadingNote>
    </FollowsAnotherStage>
  );
}
