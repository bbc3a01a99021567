import type { PredictionSummary } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { devicePlaceOf } from '../storage/device-place.ts';

/** The place stated with a recording, by its name if it is the one that this device remembers. */
export function usePlaceInWords(place: PredictionSummary['place']): string | null {
  const { t, i18n } = useTranslation();
  const { localId } = useAuthSnapshot().state;
  if (!place) return null;
  const kept = devicePlaceOf(localId);
  const isKept = kept?.kind === 'place' && kept.latitude === place.latitude && kept.longitude === place.longitude;
  const [town = ''] = isKept ? kept.name.split(', ') : [];
  const degrees = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  const coordinates = [place.latitude, place.longitude].map((value) => degrees.format(value));
  return t('place.near', { place: town || coordinates.join(i18n.language.startsWith('en') ? ', ' : '; ') });
}
