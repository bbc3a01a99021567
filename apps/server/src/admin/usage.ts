import type { ServerData } from './open-data.ts';
import { asJson, textList } from './text-table.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const MEGABYTE = 1e6;

/** Counts what a server stores and how it is used, without anything about a person. @returns the text to print */
export async function usage(
  data: Pick<ServerData, 'config' | 'database'>,
  { json = false }: { readonly json?: boolean | undefined },
): Promise<string> {
  const { query } = data.database;
  const nowMs = Date.now();
  const sinceMs = nowMs - DAYS * DAY_MS;
  const isOwn = data.config.identityMode === 'embedded';
  const accounts = await query
    .selectFrom('accounts')
    .select(({ fn, eb }) => [
      fn.countAll<number | string>().as('total'),
      fn.count<number | string>(eb.case().when('disabled', '=', 1).then(1).end()).as('disabled'),
      fn.count<number | string>(eb.case().when('createdAtMs', '>=', sinceMs).then(1).end()).as('created'),
    ])
    .executeTakeFirstOrThrow();
  const recordings = await query
    .selectFrom('predictions')
    .where('accountId', 'is not', null)
    .where('deletedAtMs', 'is', null)
    .select(({ fn, eb }) => [
      fn.countAll<number | string>().as('total'),
      fn.count<number | string>(eb.case().when('state', '=', 'queued').then(1).end()).as('waiting'),
      fn.count<number | string>(eb.case().when('state', '=', 'failed').then(1).end()).as('failed'),
      fn.count<number | string>(eb.case().when('createdAtMs', '>=', sinceMs).then(1).end()).as('recent'),
      fn.sum<number | string | null>(eb.case().when('createdAtMs', '>=', sinceMs).then(eb.ref('bytes')).end()).as('recentBytes'),
      // Counts senders, even if another service manages the accounts.
      fn
        .count<number | string>(eb.case().when('createdAtMs', '>=', sinceMs).then(eb.ref('accountId')).end())
        .distinct()
        .as('senders'),
    ])
    .executeTakeFirstOrThrow();
  const kept = await query
    .selectFrom('keptSounds')
    .select(({ fn }) => [
      fn.countAll<number | string>().as('total'),
      fn.count<number | string>('recordingUntilMs').as('whole'),
      fn.sum<number | string | null>('durationSeconds').as('seconds'),
    ])
    .executeTakeFirstOrThrow();
  const count = (table: 'apiTokens' | 'predictionLinks') =>
    query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number | string>().as('total'))
      .executeTakeFirstOrThrow();
  const open = await query
    .selectFrom('invitations')
    .where('usedAtMs', 'is', null)
    .where('expiresAtMs', '>', nowMs)
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const told = {
    ...(isOwn && {
      accounts: { total: Number(accounts.total), disabled: Number(accounts.disabled), createdIn30Days: Number(accounts.created) },
      openInvitations: Number(open.total),
    }),
    recordings: {
      total: Number(recordings.total),
      waiting: Number(recordings.waiting),
      failed: Number(recordings.failed),
      in30Days: Number(recordings.recent),
      bytesIn30Days: Number(recordings.recentBytes ?? 0),
      sendersIn30Days: Number(recordings.senders),
    },
    keptSound: { recordings: Number(kept.total), ofThemWhole: Number(kept.whole), hours: Number(kept.seconds ?? 0) / 3600 },
    apiTokens: Number((await count('apiTokens')).total),
    publicLinks: Number((await count('predictionLinks')).total),
  };
  return json ? asJson(told) : describe(told);
}

interface UsageReport {
  readonly accounts?: { readonly total: number; readonly disabled: number; readonly createdIn30Days: number };
  readonly openInvitations?: number;
  readonly recordings: Readonly<
    Record<'total' | 'waiting' | 'failed' | 'in30Days' | 'bytesIn30Days' | 'sendersIn30Days', number>
  >;
  readonly keptSound: { readonly recordings: number; readonly ofThemWhole: number; readonly hours: number };
  readonly apiTokens: number;
  readonly publicLinks: number;
}

function describe({ accounts, openInvitations, recordings, keptSound, apiTokens, publicLinks }: UsageReport): string {
  const megabytes = (recordings.bytesIn30Days / MEGABYTE).toFixed(1);
  return textList([
    ...(accounts ? ([['accounts', accounts.total]] as const) : []),
    ...(accounts ? ([['  disabled', accounts.disabled]] as const) : []),
    ...(accounts ? ([[`  created in ${DAYS} days`, accounts.createdIn30Days]] as const) : []),
    ...(openInvitations === undefined ? [] : ([['open invitations', openInvitations]] as const)),
    ['recordings in histories', recordings.total],
    ['  waiting', recordings.waiting],
    ['  failed', recordings.failed],
    [`  sent in ${DAYS} days`, `${recordings.in30Days} (${megabytes} MB, by ${recordings.sendersIn30Days} accounts)`],
    ['recordings with kept sound', keptSound.recordings],
    ['  kept as a whole', keptSound.ofThemWhole],
    ['  hours of these recordings', keptSound.hours.toFixed(1)],
    ['API tokens', apiTokens],
    ['public links', publicLinks],
  ]);
}
