/**
 * What an operator must know of and can mend: a full disk, a damaged model, no recent backup. `/metrics`, `/readyz`, the emails to the operator
 * (`tell-operator.ts`) and `./chiffchaff admin doctor` all say what these checks find.
 */
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { lastTimeOf } from '../database/last-times.ts';
import { isPostgres } from '../database/open-database.ts';
import { FULL_BELOW_BYTES, freeBytesOf } from '../prediction/incoming/disk-guard.ts';
import type { Missing, ModelLoader } from '../prediction/model-loader.ts';

export const troubleCodes = ['disk', 'model', 'decoder', 'clock', 'backup', 'waiting'] as const;
export type TroubleCode = (typeof troubleCodes)[number];

/** Troubles of all machines together; the others are of one. */
export const isOfAllMachines = (code: TroubleCode): boolean => code === 'backup' || code === 'waiting';

/** What a check has found. */
export interface Finding {
  readonly code: TroubleCode;
  readonly isBad: boolean;
  /** How bad; 1 when absent. From 2 on, recordings are refused. A disk is 1 nearly full, 2 so full that they are refused, 3 full. */
  readonly level?: 1 | 2 | 3;
  /**
   * What was measured: free bytes (disk), seconds by which the clock is ahead (clock), when the last was made in seconds since 1970 (backup),
   * seconds (waiting); null if there is nothing to measure, as for a backup that was never made.
   */
  readonly measured: number | null;
  /**
   * Why, of several reasons: what is missing (model); it is behind PostgreSQL's, or the server has run later than now (clock); the last was
   * noted for later than now (backup).
   */
  readonly reason?: Missing | 'behind' | 'hasRunLater' | 'future' | undefined;
  /** What the log says is missing or wrong. */
  readonly advice?: string | undefined;
}

export interface Checked {
  readonly config: Pick<Config, 'dataDir' | 'minFreeDiskBytes'>;
  readonly database: Database;
  /** what the installation lacks */
  readonly missing: () => ModelLoader['missing'];
  /** milliseconds since 1970 */
  readonly now?: () => number;
  /** for tests */
  readonly freeBytes?: typeof freeBytesOf;
}

/** 0 if all is well */
export const levelOf = ({ isBad, level = 1 }: Finding): number => (isBad ? level : 0);

/** Told while this much is left before recordings are refused. */
const DISK_WARNING_BYTES = 512 * 1024 ** 2;
const OLDEST_BACKUP_MS = 2 * 86_400_000;
/** A backup that was noted for so much later than now says nothing: the clock was ahead then, or is behind now. */
const EARLY_BACKUP_MS = 60_000;
const LONGEST_WAIT_SECONDS = 3600;
const CLOCK_SECONDS = 60;

/** For how many seconds the recording that was sent first has been without an answer; 0 if none is. */
export async function longestWaitSeconds({ query }: Pick<Database, 'query'>, nowMs = Date.now()): Promise<number> {
  const { firstMs } = await query
    .selectFrom('predictions')
    .select(({ fn }) => fn.min('createdAtMs').as('firstMs'))
    .where('state', '=', 'queued')
    .executeTakeFirstOrThrow();
  return firstMs === null ? 0 : Math.max(0, (nowMs - firstMs) / 1000);
}

/** Runs all checks. @throws DatabaseError */
export async function findTroubles({
  config,
  database,
  missing,
  now = Date.now,
  freeBytes = freeBytesOf,
}: Checked): Promise<readonly Finding[]> {
  const free = await freeBytes(config.dataDir);
  const lacks = missing();
  const model = lacks.find(({ code }) => code !== 'DECODER_NOT_INSTALLED');
  const aheadSeconds = await secondsAhead(database, now);
  const backupMs = await lastTimeOf(database.query, 'backup');
  // All machines write these times, so this one's clock does not judge them if there is a better one.
  const nowMs = now() - (isPostgres(database) ? aheadSeconds * 1000 : 0);
  const sinceBackupMs = nowMs - (backupMs ?? (await firstMsOf(database)) ?? nowMs);
  // Nothing follows from a first account that is later than now: a clock was ahead then.
  const isFuture = backupMs !== null && sinceBackupMs < -EARLY_BACKUP_MS;
  const waitSeconds = await longestWaitSeconds(database, nowMs);
  return [
    {
      code: 'disk',
      isBad: free < config.minFreeDiskBytes + DISK_WARNING_BYTES,
      level: free < FULL_BELOW_BYTES ? 3 : free < config.minFreeDiskBytes ? 2 : 1,
      measured: free,
    },
    {
      code: 'model',
      isBad: model !== undefined,
      level: 2,
      measured: null,
      reason: model?.reason ?? model?.code,
      advice: model?.advice,
    },
    { code: 'decoder', isBad: lacks.some(({ code }) => code === 'DECODER_NOT_INSTALLED'), level: 2, measured: null },
    {
      code: 'clock',
      isBad: Math.abs(aheadSeconds) > CLOCK_SECONDS,
      measured: aheadSeconds,
      reason: aheadSeconds >= -CLOCK_SECONDS ? undefined : isPostgres(database) ? 'behind' : 'hasRunLater',
    },
    {
      code: 'backup',
      isBad: sinceBackupMs > OLDEST_BACKUP_MS || isFuture,
      measured: backupMs === null ? null : backupMs / 1000,
      reason: isFuture ? 'future' : undefined,
    },
    { code: 'waiting', isBad: waitSeconds > LONGEST_WAIT_SECONDS, measured: waitSeconds },
  ];
}

/** Whether new recordings are accepted: there is room for them, and nothing that they need is missing. */
export const acceptsRecordings = (findings: readonly Finding[]): boolean => findings.every((finding) => levelOf(finding) < 2);

/** Whether a running machine has another model than this, by its fingerprint. @throws DatabaseError */
export async function isOtherModelInUse({ kind, query }: Database, model: string | null): Promise<boolean> {
  if (kind !== 'postgres') return false;
  const { goneBeforeMs } = await import('../machines/heartbeat.ts');
  const others = query.selectFrom('machines').select('id').where('model', '!=', model).where('seenAtMs', '>', goneBeforeMs);
  return (await others.executeTakeFirst()) !== undefined;
}

/** Before it there was nothing to back up; null without accounts. */
async function firstMsOf({ query }: Database): Promise<number | null> {
  const { createdMs } = await query
    .selectFrom('accounts')
    .select(({ fn }) => fn.min('createdAtMs').as('createdMs'))
    .executeTakeFirstOrThrow();
  const { acceptedMs } = await query
    .selectFrom('termsAcceptances')
    .select(({ fn }) => fn.min('acceptedAtMs').as('acceptedMs'))
    .executeTakeFirstOrThrow();
  return createdMs === null || acceptedMs === null ? (createdMs ?? acceptedMs) : Math.min(createdMs, acceptedMs);
}

/** By how much this machine's clock is ahead of PostgreSQL's. On one machine, having run later than now shows that it is or was wrong. */
async function secondsAhead(database: Database, now: () => number): Promise<number> {
  if (!isPostgres(database)) return Math.min(0, now() - ((await lastTimeOf(database.query, 'latest')) ?? 0)) / 1000;
  const askedMs = now();
  const { atMs } = await database.query.selectNoFrom(database.expressions.nowMs.as('atMs')).executeTakeFirstOrThrow();
  return ((askedMs + now()) / 2 - Number(atMs)) / 1000;
}
