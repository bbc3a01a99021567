import type { KeepAudio } from '@chiffchaff/contract';

/** Sound that is kept of one recording. */
export interface KeptSoundsTable {
  /** random; names the folder of its files */
  id: string;
  accountId: string;
  predictionId: string;
  createdAtMs: number;
  /** when all of it goes; null when only moments are kept */
  recordingUntilMs: number | null;
  /** when the moments go; null when there are none */
  momentsUntilMs: number | null;
  /** JSON of the moments, also when they are not kept */
  moments: string;
  durationSeconds: number;
  channels: number;
  /** media type of the recording, when it is kept as it was sent; null when it is copied */
  asSentType: string | null;
}

export interface AccountSettingsTable {
  accountId: string;
  keepAudio: KeepAudio;
}

export interface KeptAudioTables {
  keptSounds: KeptSoundsTable;
  accountSettings: AccountSettingsTable;
}
