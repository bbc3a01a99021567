import { useTranslation } from '../../../languages/i18n.ts';
import { usePreferences } from '../../../platform/storage/preferences.ts';
import { readAids } from './listening-aids.ts';

/** Which listening aids are on, wherever something is played: they stay on from one recording to the next. Nothing if none is. */
export function AidsOn() {
  const { t, i18n } = useTranslation();
  const { isHalfSpeed, isLooped, highPassHz, gainDecibels } = readAids(usePreferences().listeningAids);
  const aids = [
    isHalfSpeed && t('timeline.aids.halfSpeed'),
    highPassHz > 0 && t('timeline.aids.highPass', { hz: highPassHz.toLocaleString(i18n.language) }),
    gainDecibels > 0 && `+${gainDecibels} dB`,
    isLooped && t('timeline.aids.loop'),
  ].filter(Boolean);
  return aids.length > 0 && <p className="small strong">{t('timeline.aids.on', { aids: aids.join(', ') })}</p>;
}
