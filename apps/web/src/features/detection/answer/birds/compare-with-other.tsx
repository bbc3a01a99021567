import type { KeptAudio, Prediction } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../../../languages/i18n.ts';
import { useSpeciesSong } from '../../../../platform/api/species.ts';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';
import { dateLocale, type Span, timeLabel } from '../../../../platform/format/format.ts';
import { useAccountApi } from '../../../../platform/session/session-context.tsx';
import { FileCredits } from '../../../../ui/species/file-credits.tsx';
import { Compare, useSound } from '../../../../ui/timeline/compare.tsx';
import type { SpectrogramStatus } from '../../../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { type Sound, Strip } from '../../../../ui/timeline/strip.tsx';
import { useServedRecording } from '../../served-sound.ts';
import { type ListedBird, listBirds } from './listed-birds.ts';

/** A sound to compare with: the reference song, or the account's latest other recording of the bird whose sound is kept. */
interface Other {
  /** the song; null for a recording, whose sound the server keeps */
  readonly file: Blob | null;
  readonly durationSeconds: number;
  readonly best: Span;
  readonly prediction: Prediction | null;
  readonly keptAudio: KeptAudio | null;
}

/** null if there is none, undefined until that is known. @param song undefined until it is known */
function useOther(predictionId: string, scientificName: string, song: ReturnType<typeof useSpeciesSong>, isKept: boolean) {
  const { openHttp, localId } = useAccountApi();
  const { data, isFetching } = useQuery({
    queryKey: storedPredictionsKey(localId, 'compared', predictionId, song?.url ?? scientificName),
    async queryFn({ signal }): Promise<Other | null> {
      if (song) {
        const file = await (await fetch(song.url, { signal })).blob();
        const best = { startSeconds: 0, endSeconds: 0 };
        return { file, best, durationSeconds: song.durationSeconds, prediction: null, keptAudio: null };
      }
      const [http, api] = await Promise.all([openHttp(), import('../../../../platform/api/stored-predictions.ts')]);
      const { predictions } = await api.readPredictions(http, { species: scientificName }, null, signal);
      const found = predictions.find(({ id, keptAudio }) => id !== predictionId && keptAudio !== null);
      const stored = found && (await api.readStoredPrediction(http, found.id, signal));
      if (stored?.state !== 'done' || stored.keptAudio === null) return null;
      const { prediction, keptAudio } = stored;
      const { main, besides } = listBirds(prediction);
      const best = [...main, ...besides].find((bird) => bird.scientificName === scientificName)?.best;
      const isIn = (span: Span) =>
        keptAudio.moments?.some((kept) => kept.startSeconds <= span.startSeconds && kept.endSeconds >= span.endSeconds) ?? true;
      if (best === undefined || !isIn(best)) return null;
      return { file: null, best, durationSeconds: prediction.recording.durationSeconds, prediction, keptAudio };
    },
    enabled: song ? true : song === null && isKept,
    staleTime: 'static',
  });
  return data ?? (isFetching || song === undefined ? undefined : null);
}

interface Properties {
  readonly bird: ListedBird;
  readonly prediction: Prediction;
  /** of this recording */
  readonly passage: Span;
  /** An account has the prediction, and perhaps others. */
  readonly isKept: boolean;
  /** Shown while there is nothing to compare. */
  readonly children: ReactNode;
}

/**
 * A bird's best moment above its reference song, else above that in another recording of the account, else above its next best moment in
 * this recording.
 */
export function CompareWithOther({ bird, prediction, passage, isKept, children }: Properties) {
  const { t, i18n } = useTranslation();
  const here = useContext(StripSound);
  const song = useSpeciesSong(bird.scientificName);
  const other = useOther(prediction.id, bird.scientificName, song, isKept);
  if (!here || other === undefined) return children;
  if (other === null) {
    const next = bird.detections
      .filter(({ startSeconds, endSeconds }) => endSeconds <= passage.startSeconds || startSeconds >= passage.endSeconds)
      .toSorted((one, another) => another.score - one.score)[0];
    if (next) {
      const clips = [passage, aroundBest(next, here.durationSeconds)].map((span) => ({
        title: t('compare.at', { at: timeLabel(span.startSeconds) }),
        sound: here,
        passage: span,
      }));
      return <Compare name={bird.commonName} clips={clips} />;
    }
    return (
      <>
        {children}
        {isKept && <p className="soft small">{t('compare.none')}</p>}
      </>
    );
  }
  const { id, createdAt, conditions } = other.prediction ?? prediction;
  const day = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeZone: 'UTC' });
  const date = day.format(new Date(conditions.date ?? createdAt));
  const title = song ? (
    <>
      {t('compare.reference')}: <FileCredits {...song} change={t('bird.converted')} />
    </>
  ) : (
    <Link to={`/history/${encodeURIComponent(id)}`}>{t('compare.own', { date })}</Link>
  );
  return <Compared {...{ bird, here, other, passage, title, id }} />;
}

interface ComparedProperties extends Pick<Properties, 'bird' | 'passage'> {
  readonly here: Sound;
  readonly other: Other;
  readonly title: ReactNode;
  /** of the other's prediction, if it has one */
  readonly id: string;
}

function Compared({ bird, here, passage, title, id, other }: ComparedProperties) {
  const { t } = useTranslation();
  const { file, keptAudio, durationSeconds, best } = other;
  const { audio, sound } = useSound(file, useServedRecording(id, keptAudio), durationSeconds);
  const clips = [
    { title: t('compare.here'), sound: here, passage },
    { title, sound, passage: aroundBest(best, durationSeconds) },
  ];
  return (
    <>
      {audio}
      <Compare name={bird.commonName} clips={clips} />
    </>
  );
}

/** What strips are drawn from and compared with; null without any sound. */
export const StripSound = createContext<Sound | null>(null);

const STRIP_SECONDS = 6;
/** Of recordings up to this length (s), the timeline shows as much as a strip would. */
const LONGEST_WITHOUT_STRIPS = 15;

/** Six seconds of the recording with a bird's best moment in the middle; near its ends or in a short one, as close as possible. */
export function aroundBest({ startSeconds, endSeconds }: Span, durationSeconds: number): Span {
  const span = Math.min(Math.max(STRIP_SECONDS, endSeconds - startSeconds), durationSeconds);
  const start = Math.min(Math.max(0, (startSeconds + endSeconds - span) / 2), durationSeconds - span);
  return { startSeconds: start, endSeconds: start + span };
}

/** What is played of a bird's best moment: a second more on both sides. */
export const withMargin = ({ startSeconds, endSeconds }: Span, durationSeconds: number): Span => ({
  startSeconds: Math.max(0, startSeconds - 1),
  endSeconds: Math.min(durationSeconds, endSeconds + 1),
});

const mayCome: readonly SpectrogramStatus['kind'][] = ['decoding', 'fetching', 'ready'];

/** The spectrogram of a passage, with a playhead. Decorative: the play button beside it says what it is. Nothing without a picture. */
export function BestStrip({ passage }: { readonly passage: Span }) {
  const sound = useContext(StripSound);
  if (sound === null || sound.durationSeconds <= LONGEST_WITHOUT_STRIPS) return null;
  return mayCome.includes(sound.spectrogram.kind) ? <Strip passage={passage} sound={sound} /> : null;
}
