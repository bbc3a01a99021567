import type { Conditions } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { cityOf } from '../../../platform/format/time-zone.ts';
import { coordinatesOf } from '../../../platform/sending/requested-conditions.ts';
import { useVisitPlaces } from '../visit-places.ts';

/** The place that a prediction assumes for its recording: the name given during this visit, the coordinates, or the assumption in words. */
export function useAnswerPlace(conditions: Conditions) {
  const { t, i18n } = useTranslation();
  const places = useVisitPlaces();
  const degrees = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 });
  const place = coordinatesOf(conditions);
  return {
    name: places.nameOf(place),
    coordinates: place && `${degrees.format(place.latitude)}, ${degrees.format(place.longitude)}`,
    assumed: conditions.timeZone === null ? null : t('place.assumed', { city: cityOf(conditions.timeZone, t) }),
  };
}
