import type { Migration } from '../migrate.ts';

/**
 * Before this step, pages asked for a listening copy by themselves, whatever had been chosen to be kept. Such copies are due at once (the
 * next sweep removes their files), and work that is still waiting keeps what was chosen. Half an hour was the lifetime of every copy; a
 * recording that was chosen to be kept stays for a day at least.
 */
export const listeningCopies: Migration = {
  name: '0005-listening-copies',
  sql: `
    UPDATE keptSounds SET recordingUntilMs = createdAtMs WHERE recordingUntilMs <= createdAtMs + 1800000;
    UPDATE predictions SET fields = json_remove(fields, '$.listeningCopy') WHERE uploadName IS NOT NULL;
  `,
};
