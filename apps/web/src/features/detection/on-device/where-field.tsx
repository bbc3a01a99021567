import { useEffect, useId } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { useStore } from '../../../platform/browser/store.ts';
import { deviceModel } from '../../../platform/on-device/device-model.ts';
import { preferences, usePreferences } from '../../../platform/storage/preferences.ts';
import { DeviceModelGate } from '../../../ui/device-model-gate.tsx';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import styles from '../../../ui/keep-audio-choice.module.css';

interface Properties {
  /** Called with the reason why recordings cannot be analysed here although this is chosen; null if they can. */
  readonly onObstacle: (obstacle: string | null) => void;
}

/**
 * The choice of where recordings are analysed, which this device remembers, and what it requires. Renders nothing if this browser or the
 * server leaves no choice.
 */
export function WhereField({ onObstacle }: Properties) {
  const { t } = useTranslation();
  const name = useId();
  const model = useStore(deviceModel);
  const { analyzeOnDevice, checkSpeech } = usePreferences();
  const isOffered = model.kind !== 'unavailable';
  const obstacle = model.kind === 'installed' ? null : t(isOffered ? 'local.notReady' : 'local.unavailable');
  useEffect(() => onObstacle(obstacle), [obstacle, onObstacle]);

  if (!isOffered && !analyzeOnDevice) return null;
  return (
    <>
      <fieldset className={`stack-tight ${styles.keep}`}>
        <legend>{t('local.where')}</legend>
        <div className={`cluster ${styles.keepChoices}`}>
          {([false, true] as const).map((isHere) => (
            <label key={String(isHere)} className={`line finger ${styles.keepChoice}`}>
              <input
                type="radio"
                name={name}
                checked={analyzeOnDevice === isHere}
                onChange={() => preferences.change({ analyzeOnDevice: isHere })}
              />
              {t(isHere ? 'local.onDevice' : 'local.onServer')}
            </label>
          ))}
        </div>
        {analyzeOnDevice && <p className="soft small">{t(isOffered ? 'local.onDeviceHelp' : 'local.unavailable')}</p>}
      </fieldset>
      {analyzeOnDevice && isOffered && <DeviceModelGate>{null}</DeviceModelGate>}
      {!analyzeOnDevice && model.kind === 'installed' && (
        <CheckBox
          name="checkSpeech"
          checked={checkSpeech}
          onChange={(checked) => preferences.change({ checkSpeech: checked })}
          help={t('local.speech.settingHelp')}
        >
          {t('local.speech.setting')}
        </CheckBox>
      )}
    </>
  );
}
