import type { KeptAudio } from '@chiffchaff/contract';
import { IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { dateLocale } from '../../../platform/format/format.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { usePlayback } from '../../../ui/timeline/sound/use-playback.tsx';
import { Timeline } from '../../../ui/timeline/timeline.tsx';
import { useKeptAudio, useServedRecording } from '../served-sound.ts';
import styles from './answer.module.css';
import { CandidateList, HiddenByLocation, OtherSounds } from './candidates.tsx';
import { RecordingCheckUp } from './check-up.tsx';
import { ConditionsPanel, type ConditionsPanelProperties } from './conditions-panel.tsx';
import { CopySummary } from './copy-summary.tsx';
import { DetectionTable } from './detection-table.tsx';
import { HowMade } from './how-made.tsx';
import { marksOf, sumUpPassages } from './passages.ts';
import { PlayPassage } from './play-button.tsx';
import { VerdictCard } from './verdict-card.tsx';

const DAY_MS = 86_400_000;

export function KeptSoundNote({ keptAudio }: { readonly keptAudio: KeptAudio | null }) {
  const { t, i18n } = useTranslation();
  const nowMs = Date.now();
  /** What goes within a day has its time beside the date: a date alone could be over already. */
  const dateOf = (instant: string): string => {
    const isSoon = Date.parse(instant) < nowMs + DAY_MS;
    const shape: Intl.DateTimeFormatOptions = { dateStyle: 'medium', ...(isSoon && { timeStyle: 'short' }) };
    return new Intl.DateTimeFormat(dateLocale(i18n.language), shape).format(new Date(instant));
  };
  const isLeft = (instant: string | undefined): instant is string => instant !== undefined && Date.parse(instant) > nowMs;
  const { kind, keptUntil, momentsKeptUntil } = keptAudio ?? {};
  const recording = kind === 'recording' && isLeft(keptUntil) ? dateOf(keptUntil) : null;
  const lasting = kind === 'moments' ? keptUntil : momentsKeptUntil;
  const excerpts = isLeft(lasting) ? dateOf(lasting) : null;
  const sentence =
    recording === null
      ? excerpts === null
        ? t('keep.none')
        : t('keep.momentsUntil', { date: excerpts })
      : excerpts === null
        ? t('keep.recordingUntil', { date: recording })
        : t('keep.recordingThenMoments', { date: recording, momentsDate: excerpts });
  return <p className={styles.soft}>{sentence}</p>;
}

interface Properties extends ConditionsPanelProperties {
  /** The local file; null when there is none, as for an answer that is opened again. */
  readonly recording: File | null;
  /** Sound of it that the server keeps; absent where it still has to be asked, as right after the analysis. */
  readonly keptAudio?: KeptAudio | null;
  readonly onAnother: () => void;
}

/** The third stage: the answer, with everything that is needed to check it. */
export function AnswerStage({ recording, keptAudio: knownKeptAudio, onAnother, ...conditionsOf }: Properties) {
  const { prediction, isKept } = conditionsOf;
  const { t, i18n } = useTranslation();
  const words = useWords();
  const { conditions } = prediction;
  const { durationSeconds } = prediction.recording;
  const keptAudio = useKeptAudio(isKept ? prediction.id : null, knownKeptAudio);
  const served = useServedRecording(prediction.id, keptAudio);
  const { audio, ...sound } = usePlayback(recording, { served, durationSeconds });
  const { playback } = sound;
  const namesIn = languageTag(conditions.language);

  const marks = useMemo(() => marksOf(prediction, t, words), [prediction, t, words]);
  const play = (startSeconds: number, endSeconds: number) => playback?.playPassage(startSeconds, endSeconds);

  return (
    <PlayPassage value={recording === null && served === null ? null : play}>
      <article className={styles.answer}>
        {audio}
        <RecordingCheckUp checkUp={prediction.checkUp} />
        <VerdictCard prediction={prediction} fileName={recording?.name ?? prediction.recording.fileName ?? t('answer.noName')} />
        <section aria-labelledby="timeline-title" className={styles.section}>
          <h2 id="timeline-title">{t('timeline.title')}</h2>
          {isKept && keptAudio !== undefined && <KeptSoundNote keptAudio={keptAudio} />}
          <Timeline
            recording={recording}
            served={served}
            durationSeconds={durationSeconds}
            marks={marks}
            sound={sound}
            summary={sumUpPassages(prediction, t, i18n.language, words)}
          />
        </section>
        <div className={styles.columns}>
          <CandidateList prediction={prediction} />
          <div className={styles.side}>
            <ConditionsPanel {...conditionsOf} />
            <HiddenByLocation candidates={prediction.hiddenByLocation} namesIn={namesIn} />
            <OtherSounds sounds={prediction.otherSounds} />
          </div>
        </div>
        <DetectionTable prediction={prediction} isKept={isKept} />
        <HowMade prediction={prediction} />
        <div className={styles.another}>
          <button type="button" className="button" onClick={onAnother}>
            <IconRefresh aria-hidden="true" />
            {t('answer.another')}
          </button>
          <CopySummary prediction={prediction} />
          <p className={styles.attribution}>
            {prediction.model.attribution} · {prediction.model.licence}
          </p>
        </div>
      </article>
    </PlayPassage>
  );
}
