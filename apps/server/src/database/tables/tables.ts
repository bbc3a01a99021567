import type { IdentityTables } from './identity-tables.ts';
import type { KeptAudioTables } from './kept-audio-tables.ts';
import type { PredictionTables } from './prediction-tables.ts';
import type { ResumableUploadTables } from './resumable-upload-tables.ts';

/**
 * Every table, as kysely knows it. A new table adds its interface here and a migration.
 *
 * Times end in their unit (`Ms`, `Seconds` since 1970); truth values are 0 or 1, as SQLite has no others.
 */
export interface Tables extends IdentityTables, PredictionTables, KeptAudioTables, ResumableUploadTables {}
