import { type KeptAudio, type Prediction, SHORT_RECORDING_SECONDS } from '@chiffchaff/contract';
import { IconRefresh } from '@tabler/icons-react';
import { type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { formatDate, type Span } from '../../../platform/format/format.ts';
import { useWords } from '../../../platform/format/words.ts';
import { Button } from '../../../ui/button.tsx';
import { HeadingNote } from '../../../ui/stage-heading.tsx';
import { usePlaybackStatus } from '../../../ui/timeline/sound/playback.ts';
import { usePlayback } from '../../../ui/timeline/sound/use-playback.tsx';
import { useSpectrogramSource } from '../../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { Timeline } from '../../../ui/timeline/timeline.tsx';
import { useHashTarget } from '../../../ui/use-hash-target.ts';
import { useKeptAudio, useOverview, useServedRecording } from '../served-sound.ts';
import styles from './answer.module.css';
import { StripSound } from './birds/compare-with-other.tsx';
import { listBirds } from './birds/listed-birds.ts';
import { PlayingPassage, PlayPassage } from './birds/play-button.tsx';
import { isSilence, OtherSounds, RecordingCheckUp } from './check-up.tsx';
import {
  BackToFirst,
  CHANGES_ID,
  ConditionsPanel,
  type ConditionsPanelProperties,
  FirstResultNotice,
} from './conditions-panel.tsx';
import { Downloads } from './downloads.tsx';
import { HowMade } from './how-made.tsx';
import { marksOf } from './passages.ts';
import { useReviewed } from './reviews/use-review.ts';
import { CreateLink, ShareAnswer } from './share/share-answer.tsx';
import { VerdictCard } from './verdict/verdict-card.tsx';
import { sumUp } from './wording.ts';

const DAY_MS = 86_400_000;

export function KeptSoundNote({ keptAudio }: { readonly keptAudio: KeptAudio | null }) {
  const { t, i18n } = useTranslation();
  const nowMs = Date.now();
  /** Adds the time if less than a day is left: a date alone could be past already. */
  const dateOf = (instant: string): string => {
    const isSoon = Date.parse(instant) < nowMs + DAY_MS;
    const shape: Intl.DateTimeFormatOptions = { dateStyle: 'medium', ...(isSoon && { timeStyle: 'short' }) };
    return formatDate(instant, i18n.language, shape);
  };
  const until = (instant: string | undefined) => instant !== undefined && Date.parse(instant) > nowMs && dateOf(instant);
  const { kind, keptUntil, momentsKeptUntil } = keptAudio ?? {};
  const recording = kind === 'recording' && until(keptUntil);
  const excerpts = until(kind === 'moments' ? keptUntil : momentsKeptUntil);
  let sentence = t('choose.keeps.nothing');
  if (recording && excerpts) sentence = t('keep.recordingThenMoments', { date: recording, momentsDate: excerpts });
  else if (recording) sentence = t('keep.recordingUntil', { date: recording });
  else if (excerpts) sentence = t('keep.momentsUntil', { date: excerpts });
  return <p className="soft">{sentence}</p>;
}

interface Properties extends ConditionsPanelProperties {
  /** The local file; null if there is none, as for a stored prediction. */
  readonly recording: File | null;
  /** Its audio at the server; absent if the server has yet to be asked, as right after the analysis. */
  readonly keptAudio?: KeptAudio | null;
  /** Receives the first result when the person returns to it; absent while it is shown. */
  readonly onFirst?: ((first: Prediction) => void) | undefined;
  /** Says whether the result is saved, and saves it. */
  readonly saving?: ReactNode;
  readonly onAnother: () => void;
}

/** The third stage: the result, with everything needed to check it. */
export function AnswerStage({ recording, keptAudio: knownKeptAudio, saving, onFirst, onAnother, ...conditionsOf }: Properties) {
  const { isKept } = conditionsOf;
  // Counts returns to the first result: each resets the panel to that result's conditions.
  const [returns, setReturns] = useState(0);
  /** What was shown before the latest change; null once the page is opened anew. */
  const [before, setBefore] = useState<Prediction | null>(null);
  const note = useContext(HeadingNote);
  const prediction = useReviewed(conditionsOf.prediction, isKept);
  const { t, i18n } = useTranslation();
  const words = useWords();
  const { durationSeconds } = prediction.recording;
  useHashTarget(prediction.id);
  const isSilent = isSilence(prediction);
  const keptAudio = useKeptAudio(isKept ? prediction.id : null, knownKeptAudio);
  const served = useServedRecording(prediction.id, keptAudio);
  const { audio, ...sound } = usePlayback(recording, served, durationSeconds);
  const { playback } = sound;
  const hasSound = !isSilent && (recording !== null || (served ?? null) !== null);
  const hasOverview = isKept && !isSilent && durationSeconds >= SHORT_RECORDING_SECONDS;
  const readOverview = useOverview(hasOverview ? prediction.id : null);
  const drawn = isSilent ? { recording: null, served: null } : { recording, served };
  const spectrogram = useSpectrogramSource(drawn.recording, drawn.served, durationSeconds, readOverview);

  const conditions = JSON.stringify(prediction.conditions);
  // Reviewing a bird does not move it; it moves with the next result.
  const [reviewed, setReviewed] = useState({ conditions, reviews: prediction.reviews });
  if (reviewed.conditions !== conditions) setReviewed({ conditions, reviews: prediction.reviews });
  const birds = useMemo(() => listBirds(prediction, reviewed), [prediction, reviewed]);
  const [withLessLikely, setWithLessLikely] = useState(false);
  const marks = useMemo(() => marksOf(prediction, t, words), [prediction, t, words]);
  const [passage, setPassage] = useState<Span | null>(null);
  const isPlaying = usePlaybackStatus(playback) === 'playing';
  // The next playback may be of something else.
  useEffect(() => {
    if (!isPlaying) setPassage(null);
  }, [isPlaying]);
  const play = (startSeconds: number, endSeconds: number) => {
    setPassage({ startSeconds, endSeconds });
    playback?.playPassage(startSeconds, endSeconds);
  };
  const playing = isPlaying && passage !== null ? { ...passage, stop: () => playback?.toggle() } : null;

  const sounding = useMemo(
    () => (hasSound ? { spectrogram, playback, durationSeconds } : null),
    [hasSound, spectrogram, playback, durationSeconds],
  );

  const back = isKept && onFirst && (
    <BackToFirst
      id={prediction.id}
      onFirst={(first) => {
        setReturns(returns + 1);
        setBefore(null);
        onFirst(first);
      }}
    />
  );
  const another = (
    <Button icon={IconRefresh} look="main" onClick={onAnother}>
      {t('answer.another')}
    </Button>
  );
  return (
    <PlayPassage value={hasSound ? play : null}>
      <PlayingPassage value={playing}>
        <article className={styles.answer}>
          {audio}
          {before && back && <FirstResultNotice {...{ prediction, before }}>{back}</FirstResultNotice>}
          <StripSound value={sounding}>
            <HeadingNote value={before && back ? CHANGES_ID : note}>
              <VerdictCard
                prediction={prediction}
                birds={birds}
                withLessLikely={withLessLikely}
                onLessLikely={setWithLessLikely}
                isKept={isKept}
                fileName={recording?.name ?? prediction.recording.fileName ?? t('answer.noName')}
                another={another}
                conditions={(isPlaceMissed) => (
                  <ConditionsPanel
                    key={returns}
                    {...{ ...conditionsOf, isPlaceMissed }}
                    back={before === null && back}
                    onReconsidered={(next) => {
                      setBefore(prediction);
                      conditionsOf.onReconsidered(next);
                    }}
                  />
                )}
              >
                {saving}
                <ShareAnswer prediction={prediction} recording={recording} served={served}>
                  {isKept && <CreateLink predictionId={prediction.id} hasSound={(keptAudio ?? null) !== null} />}
                </ShareAnswer>
                {(prediction.detections.length > 0 || isKept) && (
                  <Downloads {...{ prediction, isKept, served }}>
                    {isKept && keptAudio !== undefined && <KeptSoundNote keptAudio={keptAudio} />}
                  </Downloads>
                )}
              </VerdictCard>
            </HeadingNote>
          </StripSound>
          <RecordingCheckUp checkUp={prediction.checkUp} />
          {!isSilent && (
            <section aria-labelledby="timeline-title" className={`stack ${styles.section}`}>
              <h2 id="timeline-title">{t('timeline.title')}</h2>
              <Timeline
                spectrogram={spectrogram}
                recording={recording}
                served={served}
                durationSeconds={durationSeconds}
                marks={marks}
                withUnnamed={withLessLikely}
                sound={sound}
                hasSound={hasSound}
                summary={sumUp(prediction, birds, t, i18n.language)}
              />
            </section>
          )}
          <OtherSounds sounds={prediction.otherSounds} />
          <HowMade prediction={prediction} />
          <div className={`cluster apart ${styles.another}`}>
            {birds.main.length > 0 && another}
            <p className="soft small measure">
              {prediction.model.attribution} · {prediction.model.licence}
            </p>
          </div>
        </article>
      </PlayingPassage>
    </PlayPassage>
  );
}
