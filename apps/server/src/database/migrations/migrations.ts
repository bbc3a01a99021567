import type { Migration } from '../migrate.ts';
import { accounts } from './0001-accounts.ts';
import { predictions } from './0002-predictions.ts';
import { keptAudio } from './0003-kept-audio.ts';
import { resumableUploads } from './0004-resumable-uploads.ts';
import { listeningCopies } from './0005-listening-copies.ts';
import { refreshRotation } from './0006-refresh-rotation.ts';
import { oneServer } from './0007-one-server.ts';

/** All steps of the schema, oldest first. A published step is never edited: what changes later is a further step. */
export const migrations: readonly Migration[] = [
  accounts,
  predictions,
  keptAudio,
  resumableUploads,
  listeningCopies,
  refreshRotation,
  oneServer,
];
