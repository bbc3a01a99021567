import type { KeepAudio } from '@chiffchaff/contract';
import { useKeepAudioSetting } from '../../../platform/use-keep-audio-setting.ts';
import { KeepAudioChoice } from '../../../ui/keep-audio/keep-audio-choice.tsx';
import type { Api } from '../use-api.ts';

interface Properties {
  readonly openHttp: Api['openHttp'];
  /** null: as the account's setting says */
  readonly value: KeepAudio | null;
  /** How long sound is kept here. */
  readonly retentionDays: number;
  readonly onChange: (value: KeepAudio) => void;
}

/** What may be kept of the sound, for those who have an account to keep it for. */
export function KeepAudioField({ openHttp, value, retentionDays, onChange }: Properties) {
  const { setting } = useKeepAudioSetting(openHttp);
  return <KeepAudioChoice value={value ?? setting.data ?? null} retentionDays={retentionDays} onChange={onChange} />;
}
