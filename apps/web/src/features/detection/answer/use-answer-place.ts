import type { Conditions } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { cityOf } from '../../../platform/format/time-zone.ts';
import { coordinatesOf } from '../../../platform/sending/requested-conditions.ts';
import { useVisitPlaces } from '../visit-places.ts';

/** The place that a prediction assumes for its recording: the name given during this visit, the coordinates, the assumption; and in words. */
export function useAnswerPlace(conditions: Conditions) {
  const { t, i18n } = useTranslation();
  const places = useVisitPlaces();
  const degrees = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 });
  const place = coordinatesOf(conditions);
  const name = places.nameOf(place);
  const [town = ''] = name.split(', ');
  const coordinates = place && `${degrees.format(place.latitude)}, ${degrees.format(place.longitude)}`;
  const assumed = conditions.timeZone === null ? null : t('place.assumed', { city: cityOf(conditions.timeZone, t) });
  const inWords = coordinates === null ? (assumed ?? t('place.unknown')) : t('place.near', { place: town || coordinates });
  return { name, coordinates, assumed, inWords };
}
