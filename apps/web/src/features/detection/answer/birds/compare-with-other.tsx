import type { KeptAudio, Prediction } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { storedPredictionsKey } from '../../../../platform/api/use-stored-predictions.ts';
import { dateLocale, type Span } from '../../../../platform/format/format.ts';
import { useAccountApi } from '../../../../platform/session/session-context.tsx';
import { Compare, useSound } from '../../../../ui/timeline/compare.tsx';
import type { Sound } from '../../../../ui/timeline/strip.tsx';
import { useServedRecording } from '../../served-sound.ts';
import { aroundBest, StripSound } from './best-strip.tsx';
import { type ListedBird, listBirds } from './listed-birds.ts';

/** The best moment of the bird in another recording of the account. */
interface Other {
  readonly prediction: Prediction;
  readonly keptAudio: KeptAudio;
  readonly best: Span;
}

/** The latest of the account's other recordings of a bird whose sound is kept; null if there is none. */
function useOther(predictionId: string, scientificName: string, isKept: boolean): Other | null {
  const { openHttp, localId } = useAccountApi();
  const { data = null } = useQuery({
    queryKey: storedPredictionsKey(localId, 'compared', predictionId, scientificName),
    async queryFn({ signal }): Promise<Other | null> {
      const [http, api] = await Promise.all([openHttp(), import('../../../../platform/api/stored-predictions.ts')]);
      const wanted = { search: '', species: scientificName, days: null, near: null, isConfirmed: false, language: null };
      const { predictions } = await api.readPredictions(http, wanted, null, signal);
      const found = predictions.find(({ id, keptAudio }) => id !== predictionId && keptAudio !== null);
      const stored = found && (await api.readStoredPrediction(http, found.id, signal));
      if (stored?.state !== 'done' || stored.keptAudio === null) return null;
      const { prediction, keptAudio } = stored;
      const { main, besides } = listBirds(prediction);
      const best = [...main, ...besides].find((bird) => bird.scientificName === scientificName)?.best;
      const isKept = (span: Span) =>
        keptAudio.moments?.some((kept) => kept.startSeconds <= span.startSeconds && kept.endSeconds >= span.endSeconds) ?? true;
      return best && isKept(best) ? { prediction, keptAudio, best } : null;
    },
    enabled: isKept,
    staleTime: 'static',
  });
  return data;
}

interface Properties {
  readonly bird: ListedBird;
  readonly prediction: Prediction;
  /** of this recording */
  readonly passage: Span;
  /** An account has the prediction, and perhaps others. */
  readonly isKept: boolean;
  /** Shown when there is nothing to compare. */
  readonly children: ReactNode;
}

/** A bird's best moment above the one in another recording of the account. */
export function CompareWithOther({ bird, prediction, passage, isKept, children }: Properties) {
  const here = useContext(StripSound);
  const other = useOther(prediction.id, bird.scientificName, isKept);
  return here && other ? <Compared {...{ bird, here, other, passage }} /> : children;
}

function Compared({
  bird,
  here,
  other,
  passage,
}: Pick<Properties, 'bird' | 'passage'> & { readonly here: Sound; readonly other: Other }) {
  const { t, i18n } = useTranslation();
  const { id, createdAt, conditions, recording } = other.prediction;
  const { audio, sound } = useSound(null, useServedRecording(id, other.keptAudio), recording.durationSeconds);
  const day = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeZone: 'UTC' });
  const date = day.format(new Date(conditions.date ?? createdAt));
  const clips = [
    { title: t('compare.here'), sound: here, passage },
    {
      title: <Link to={`/history/${encodeURIComponent(id)}`}>{t('compare.own', { date })}</Link>,
      sound,
      passage: aroundBest(other.best, recording.durationSeconds),
    },
  ];
  return (
    <>
      {audio}
      <Compare name={bird.commonName} clips={clips} />
    </>
  );
}
