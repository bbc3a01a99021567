import { useTranslation } from '../../languages/i18n.ts';
import { cityOf, deviceTimeZone } from '../format/time-zone.ts';
import { useAuthSnapshot } from '../session/session-context.tsx';
import { devicePlaceOf } from '../storage/device-place.ts';
import { usePublicConfig } from './public-config.ts';
import type { SeasonPlace } from './species.ts';

interface Where {
  readonly place: SeasonPlace;
  readonly name: string;
  readonly isAssumed: boolean;
}

/** The place that this device remembers, else the operator's, else one suggested by the time zone; null if the user chose to use none. */
export function useSeasonPlace(): Where | null {
  const { t } = useTranslation();
  const { localId } = useAuthSnapshot().state;
  const { data: config } = usePublicConfig();
  const chosen = devicePlaceOf(localId);
  const timeZone = deviceTimeZone();
  const given = chosen?.kind === 'place' ? chosen : chosen === null ? (config?.defaultPlace ?? null) : null;
  if (given !== null) {
    const { latitude, longitude, name } = given;
    const [town = name] = name.split(', ');
    return { place: { latitude, longitude }, name: t('place.near', { place: town }), isAssumed: false };
  }
  if (chosen?.kind === 'anywhere' || timeZone === null) return null;
  return { place: { timeZone }, name: t('place.assumed', { city: cityOf(timeZone, t) }), isAssumed: true };
}
