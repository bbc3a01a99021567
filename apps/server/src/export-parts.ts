import type { AccountExportPart } from './identity/accounts/account-export.ts';
import type { AudioRetention } from './prediction/audio/audio-retention.ts';
import type { Predictions } from './prediction/predictions.ts';

/** What is kept of an account besides itself, as its export tells it. Sound is named there, and fetched one by one. */
export function exportParts(predictions: Predictions, sounds: AudioRetention): readonly AccountExportPart[] {
  return [
    { name: 'predictions', export: (accountId) => predictions.exportAccount(accountId) },
    { name: 'settings', export: async (accountId) => ({ keepAudio: await sounds.store.settingOf(accountId) }) },
    { name: 'keptAudio', export: (accountId) => sounds.exportAccount(accountId) },
  ];
}
