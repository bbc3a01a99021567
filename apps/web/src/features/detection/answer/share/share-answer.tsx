import { type Prediction, regionOfPlaceSchema } from '@chiffchaff/contract';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type OpenHttp, useOpenHttp } from '../../../../platform/api/open-http.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { ShareButton } from '../../../../ui/share/share-button.tsx';
import type { ServedRecording } from '../../../../ui/timeline/sound/use-playback.tsx';
import { cardContent, cardInWords } from './picture/card-content.ts';
import { summaryOf } from './summary.ts';

const REGION_WITHIN_MS = 4000;

/** What the model is asked about places with: it tells the server nothing new. */
const toTenth = (degrees: number): number => Math.round(degrees * 10) / 10;

/** The region of a place that was told; null where there is none, and without a connection. */
async function regionOf({ latitude, longitude }: Prediction['conditions'], openHttp: OpenHttp): Promise<string | null> {
  if (latitude === null || longitude === null) return null;
  try {
    const params = { latitude: toTenth(latitude), longitude: toTenth(longitude) };
    const http = await openHttp();
    const { data } = await http.get<unknown>('/v1/places/region', { params, signal: AbortSignal.timeout(REGION_WITHIN_MS) });
    return regionOfPlaceSchema.parse(data).region;
  } catch {
    return null;
  }
}

interface Properties {
  readonly prediction: Prediction;
  /** The local file; null when there is none. */
  readonly recording: File | null;
  readonly served: ServedRecording | null | undefined;
  /** Further ways to share it. */
  readonly children?: ReactNode;
}

/** *Share* on an answer: as a picture, as text, and whatever else is given. */
export function ShareAnswer({ prediction, recording, served, children }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const openHttp = useOpenHttp();
  const makePicture = async () => {
    const [region, picture] = await Promise.all([regionOf(prediction.conditions, openHttp), import('./picture/make-picture.ts')]);
    const content = cardContent(prediction, region, t, i18n.language, words);
    const file = await picture.makePicture(content, prediction.recording.durationSeconds, { recording, served });
    return { file, description: cardInWords(content, i18n.language) };
  };
  return (
    <ShareButton text={summaryOf(prediction, t, i18n.language, words)} makePicture={makePicture}>
      {children}
    </ShareButton>
  );
}
