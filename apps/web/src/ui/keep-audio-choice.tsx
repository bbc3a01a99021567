import { KEEP_AUDIO_CHOICES, type KeepAudio } from '@chiffchaff/contract';
import { useId } from 'react';
import { useTranslation } from '../languages/i18n.ts';
import styles from './keep-audio-choice.module.css';

interface Properties {
  /** null while unknown */
  readonly value: KeepAudio | null;
  readonly retentionDays: number;
  readonly onChange: (value: KeepAudio) => void;
}

export function KeepAudioChoice({ value, retentionDays, onChange }: Properties) {
  const { t, i18n } = useTranslation();
  const name = useId();
  const inDays = new Intl.NumberFormat(i18n.language, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  const days = inDays.format(retentionDays);
  return (
    <fieldset className={`stack-tight ${styles.keep}`}>
      <legend>{t('keep.legend')}</legend>
      <div className={`cluster ${styles.keepChoices}`}>
        {KEEP_AUDIO_CHOICES.map((choice) => (
          <label key={choice} className={`line finger ${styles.keepChoice}`}>
            <input type="radio" name={name} checked={value === choice} onChange={() => onChange(choice)} />
            {t(`keep.${choice}`)}
          </label>
        ))}
      </div>
      <p className="soft small">{t(value === null ? 'keep.unknownHelp' : `keep.${value}Help`, { days })}</p>
    </fieldset>
  );
}
