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
  const report = await count(data);
  return json ? asJson(report) : describe(report);
}

type UsageReport = Awaited<ReturnType<typeof count>>;

async function count({ config, database: { query } }: Pick<ServerData, 'config' | 'database'>) {
  const nowMs = Date.now();
  const sinceMs = nowMs - DAYS * DAY_MS;
  const accounts = await query
    .selectFrom('accounts')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      fn.countAll<number>().filterWhere('disabled', '=', 1).as('disabled'),
      fn.countAll<number>().filterWhere('createdAtMs', '>=', sinceMs).as('createdIn30Days'),
    ])
    .executeTakeFirstOrThrow();
  const invitations = await query
    .selectFrom('invitations')
    .where('usedAtMs', 'is', null)
    .where('expiresAtMs', '>', nowMs)
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow();
  const recordings = await query
    .selectFrom('predictions')
    .where('accountId', 'is not', null)
    .where('deletedAtMs', 'is', null)
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('total'),
      fn.countAll<number>().filterWhere('state', '=', 'queued').as('waiting'),
      fn.countAll<number>().filterWhere('state', '=', 'failed').as('failed'),
      fn.countAll<number>().filterWhere('createdAtMs', '>=', sinceMs).as('in30Days'),
      fn.coalesce(fn.sum<number>('bytes').filterWhere('createdAtMs', '>=', sinceMs), lit(0)).as('bytesIn30Days'),
      // Counts senders, even if another service manages the accounts.
      fn.count<number>('accountId').distinct().filterWhere('createdAtMs', '>=', sinceMs).as('sendersIn30Days'),
    ])
    .executeTakeFirstOrThrow();
  const { seconds, ...keptSound } = await query
    .selectFrom('keptSounds')
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('recordings'),
      fn.count<number>('recordingUntilMs').as('ofThemWhole'),
      fn.coalesce(fn.sum<number>('durationSeconds'), lit(0)).as('seconds'),
    ])
    .executeTakeFirstOrThrow();
  const totalOf = async (table: 'apiTokens' | 'predictionLinks'): Promise<number> => {
    const counted = query.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('total'));
    return (await counted.executeTakeFirstOrThrow()).total;
  };
  return {
    ...(config.identityMode === 'embedded' ? { accounts, openInvitations: invitations.open } : {}),
    recordings,
    keptSound: { ...keptSound, hours: seconds / 3600 },
    apiTokens: await totalOf('apiTokens'),
    publicLinks: await totalOf('predictionLinks'),
  };
}

function describe({ accounts, openInvitations = 0, recordings, keptSound, apiTokens, publicLinks }: UsageReport): string {
  const megabytes = (recordings.bytesIn30Days / MEGABYTE).toFixed(1);
  const ofAccounts =
    accounts &&
    ([
      ['accounts', accounts.total],
      ['  disabled', accounts.disabled],
      [`  created in ${DAYS} days`, accounts.createdIn30Days],
      ['open invitations', openInvitations],
    ] as const);
  return textList([
    ...(ofAccounts ?? []),
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
