import type { ListedPlace } from '@chiffchaff/contract';
import { useTranslation } from '../../languages/i18n.ts';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { devicePlaceOf } from '../storage/device-place.ts';
import { formatDegrees } from './format.ts';

/** The place stated with a recording: by its name if it is the one that this device remembers, else by its town, else as coordinates. */
export function usePlaceInWords(place: ListedPlace | null): string | null {
  const { t, i18n } = useTranslation();
  const { localId } = useAuthSnapshot().state;
  if (!place) return null;
  const kept = devicePlaceOf(localId);
  const isKept = kept?.kind === 'place' && kept.latitude === place.latitude && kept.longitude === place.longitude;
  const [town = ''] = isKept ? kept.name.split(', ') : [];
  return t('place.near', { place: town || place.town || formatDegrees(place, i18n.language, 1) });
}
