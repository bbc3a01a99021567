import type { KeepAudio } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Api } from '../use-api.ts';
import styles from './choose.module.css';

interface Properties {
  readonly openHttp: Api['openHttp'];
  /** null: as the account's setting says */
  readonly value: KeepAudio | null;
  /** How long sound is kept here. */
  readonly retentionDays: number;
  readonly onChange: (value: KeepAudio) => void;
}

const choices = ['nothing', 'moments', 'recording'] as const satisfies readonly KeepAudio[];
const isChoice = (value: unknown): value is KeepAudio => choices.some((choice) => choice === value);

/** `GET /v1/account/settings`: what is kept of recordings whose request says nothing; null while nobody knows. */
async function readSetting(openHttp: Api['openHttp'], signal: AbortSignal): Promise<KeepAudio | null> {
  const http = await openHttp();
  const { data } = await http.get<unknown>('/v1/account/settings', { signal });
  const setting = typeof data === 'object' && data !== null && 'keepAudio' in data ? data.keepAudio : null;
  return isChoice(setting) ? setting : null;
}

/** What may be kept of the sound, for those who have an account to keep it for. */
export function KeepAudioField({ openHttp, value, retentionDays, onChange }: Properties) {
  const { t, i18n } = useTranslation();
  const name = useId();
  const { data: setting = null } = useQuery({
    queryKey: ['account', 'settings', 'keepAudio'],
    queryFn: ({ signal }) => readSetting(openHttp, signal),
    staleTime: 60_000,
  });
  const chosen = value ?? setting;
  const inDays = new Intl.NumberFormat(i18n.language, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  const days = inDays.format(retentionDays);
  return (
    <fieldset className={styles.keep}>
      <legend>{t('keep.legend')}</legend>
      <div className={styles.keepChoices}>
        {choices.map((choice) => (
          <label key={choice} className={styles.keepChoice}>
            <input type="radio" name={name} checked={chosen === choice} onChange={() => onChange(choice)} />
            {t(`keep.${choice}`)}
          </label>
        ))}
      </div>
      <p className={styles.help}>{t(chosen === null ? 'keep.unknownHelp' : `keep.${chosen}Help`, { days })}</p>
    </fieldset>
  );
}
