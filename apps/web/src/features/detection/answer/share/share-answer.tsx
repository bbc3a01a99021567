import { type Prediction, regionOfPlaceSchema } from '@chiffchaff/contract';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ask } from '../../../../platform/api/ask.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { coordinatesOf } from '../../../../platform/sending/requested-conditions.ts';
import type { OpenHttp } from '../../../../platform/session/page-session.ts';
import { useOpenHttp } from '../../../../platform/session/session-context.tsx';
import { ShareButton } from '../../../../ui/share/share-button.tsx';
import type { ServedRecording } from '../../../../ui/timeline/sound/use-playback.tsx';
import { summaryOf } from '../wording.ts';
import { cardContent, cardInWords } from './picture/card-content.ts';

const REGION_WITHIN_MS = 4000;

/** The precision with which predictions ask about places, so the server learns nothing new. */
const toTenth = (degrees: number): number => Math.round(degrees * 10) / 10;

/** The region of the stated place; null without a place or a connection. */
async function regionOf({ conditions }: Prediction, openHttp: OpenHttp): Promise<string | null> {
  const place = coordinatesOf(conditions);
  if (!place) return null;
  try {
    const params = { latitude: toTenth(place.latitude), longitude: toTenth(place.longitude) };
    const request = { url: '/v1/places/region', params, signal: AbortSignal.timeout(REGION_WITHIN_MS) };
    return (await ask(await openHttp(), regionOfPlaceSchema, request)).region;
  } catch {
    return null;
  }
}

interface Properties {
  readonly prediction: Prediction;
  /** The local file; null if there is none. */
  readonly recording: File | null;
  readonly served: ServedRecording | null | undefined;
  /** Further ways to share it. */
  readonly children?: ReactNode;
}

/** *Share* on a result: as a picture, as text, and in the ways given as `children`. */
export function ShareAnswer({ prediction, recording, served, children }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const openHttp = useOpenHttp();
  const makePicture = async () => {
    const [region, picture] = await Promise.all([regionOf(prediction, openHttp), import('./picture/make-picture.ts')]);
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
