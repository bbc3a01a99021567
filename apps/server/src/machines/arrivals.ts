import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresDatabase } from '../database/postgres/open-postgres.ts';
import type { Arrival, Arrivals, ArrivingUpload, UploadOutcome } from '../prediction/incoming/incoming-uploads.ts';
import { repeat } from '../repeat.ts';
import { BEAT_EVERY_MS, goneBeforeMs, nowMs } from './heartbeat.ts';

/** The channel on which machines announce uploads to cancel, and uploads that have ended. */
const CHANNEL = 'arrivingUploads';
const COLUMNS = ['id', 'createdAtMs', 'apiTokenId'] as const;
/** How often a cancellation is repeated, in case it was missed. */
const TELL_AGAIN_MS = 1000;

type ArrivalMessage = { readonly cancel: string } | { readonly id: string; readonly become: UploadOutcome };

/** Incoming uploads of all machines, visible to each. @throws DatabaseError, as do all methods of the result */
export async function openArrivals(
  database: Pick<PostgresDatabase, 'query' | 'listen' | 'notify'>,
): Promise<Arrivals & { close(): Promise<void> }> {
  const { query } = database;
  /** how to cancel uploads of this machine */
  const own = new Map<string, () => void>();
  const waiting = new Set<{ readonly id: string; readonly resolve: (become: UploadOutcome) => void }>();
  const publish = (told: ArrivalMessage): Promise<void> => database.notify(CHANNEL, JSON.stringify(told));

  function onMessage(payload: string): void {
    const told: ArrivalMessage = JSON.parse(payload);
    if ('cancel' in told) own.get(told.cancel)?.();
    else for (const { id, resolve } of waiting) if (id === told.id) resolve(told.become);
  }

  const present = () => query.selectFrom('arrivingUploads').where('seenAtMs', '>', goneBeforeMs);

  async function waitFor(id: string, isCancelled: boolean): Promise<UploadOutcome> {
    const { promise, resolve } = Promise.withResolvers<UploadOutcome>();
    const waiter = { id, resolve };
    waiting.add(waiter);
    try {
      for (;;) {
        if (isCancelled) await publish({ cancel: id });
        const become = await Promise.race([promise, sleep(TELL_AGAIN_MS, null)]);
        if (become !== null) return become;
        // It ended before this listened: it became the prediction with its id, or none.
        if ((await present().select('id').where('id', '=', id).executeTakeFirst()) === undefined) return { id };
      }
    } finally {
      waiting.delete(waiter);
    }
  }

  const read = (row: Pick<ArrivingUpload, (typeof COLUMNS)[number]>): ArrivingUpload => ({
    ...row,
    cancel: () => waitFor(row.id, true),
    become: () => waitFor(row.id, false),
  });

  /** Tells other machines that this one's uploads still arrive, and removes those of machines that are gone. */
  async function beat(): Promise<void> {
    if (own.size > 0) {
      await query
        .updateTable('arrivingUploads')
        .set({ seenAtMs: nowMs })
        .where('id', 'in', [...own.keys()])
        .execute();
    }
    await query.deleteFrom('arrivingUploads').where('seenAtMs', '<', goneBeforeMs).execute();
  }

  const stopListening = await database.listen(CHANNEL, onMessage);
  // Failures are ignored: while PostgreSQL is unavailable, no upload can finish either.
  const beats = repeat(beat, BEAT_EVERY_MS, () => {});

  return {
    async enter(arrival: Arrival, cancel: () => void): Promise<void> {
      await query
        .insertInto('arrivingUploads')
        .values({ ...arrival, seenAtMs: nowMs })
        .execute();
      own.set(arrival.id, cancel);
    },
    async leave(id: string, become: UploadOutcome): Promise<void> {
      own.delete(id);
      await query.deleteFrom('arrivingUploads').where('id', '=', id).execute();
      await publish({ id, become });
    },
    async ofAccount(accountId: string): Promise<readonly ArrivingUpload[]> {
      const rows = await present().select(COLUMNS).where('accountId', '=', accountId).execute();
      return rows.filter(({ id }) => !own.has(id)).map(read);
    },
    async find(accountId: string, idOrKey: string): Promise<ArrivingUpload | null> {
      const row = await present()
        .select(COLUMNS)
        .where('accountId', '=', accountId)
        .where((where) => where.or([where('id', '=', idOrKey), where('idempotencyKey', '=', idOrKey)]))
        .executeTakeFirst();
      return row === undefined ? null : read(row);
    },
    async close(): Promise<void> {
      void beats.close();
      await stopListening();
    },
  };
}
