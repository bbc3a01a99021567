import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { retry } from '../retry.ts';
import { clientConfig } from './connections.ts';
import { explainPostgres } from './postgres-error.ts';

/** A connection that only listens does not notice that it was cut, so it is probed. */
const PROBE_EVERY_MS = 5000;
const NO_ANSWER_MS = 4000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;

interface Listener {
  readonly onNotification: (payload: string) => void;
  readonly onReconnected: (() => void) | undefined;
}

/** One connection per process for all channels, opened with the first channel. */
export function createNotifications(url: string) {
  const channels = new Map<string, Set<Listener>>();
  const closing = new AbortController();
  /** The first connection; later ones are opened automatically. */
  let first: Promise<void> | null = null;
  /** null while disconnected */
  let current: pg.Client | null = null;
  /** Statements run one after the other: a client of pg takes one at a time. */
  let asked: Promise<void> = Promise.resolve();

  async function connect(): Promise<void> {
    const client = new pg.Client({ ...clientConfig(url), query_timeout: NO_ANSWER_MS });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { onNotification } of channels.get(channel) ?? []) onNotification(payload);
    });
    // Without a listener an error would end the process; an `end` event follows it.
    client.on('error', () => {});
    try {
      await client.connect();
      for (const channel of channels.keys()) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw explainPostgres(error);
    }
    current = client;
    void watch(client);
  }

  /** Probes the connection regularly, and reconnects when it is lost. */
  async function watch(client: pg.Client): Promise<void> {
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    const probe = setInterval(() => void ask('SELECT 1'), PROBE_EVERY_MS);
    probe.unref();
    await lost;
    clearInterval(probe);
    current = null;
    // The connection may be cut again and again.
    await sleep(FIRST_PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});
    if (closing.signal.aborted) return;
    const pausesMs = [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] as const;
    try {
      await retry(connect, { isPassing: () => true, pausesMs, stopping: closing.signal });
    } catch {
      // It is closed.
      return;
    }
    for (const listeners of channels.values()) for (const { onReconnected } of listeners) onReconnected?.();
  }

  /** Without a connection, or if it is just being lost, the next connection makes up for it. */
  function ask(statement: string): Promise<void> {
    asked = asked.then(async () => {
      const client = current;
      try {
        await client?.query(statement);
      } catch {
        await client?.end().catch(() => {});
      }
    });
    return asked;
  }

  return {
    /** @returns stops listening @throws DatabaseError UNREACHABLE */
    async listen(
      channel: string,
      onNotification: (payload: string) => void,
      onReconnected?: () => void,
    ): Promise<() => Promise<void>> {
      const listener: Listener = { onNotification, onReconnected };
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      const stop = async (): Promise<void> => {
        listeners.delete(listener);
        if (listeners.size > 0 || channels.get(channel) !== listeners) return;
        channels.delete(channel);
        await ask(`UNLISTEN ${pg.escapeIdentifier(channel)}`);
      };
      try {
        first ??= connect();
        await first;
      } catch (error) {
        first = null;
        await stop();
        throw error;
      }
      await ask(`LISTEN ${pg.escapeIdentifier(channel)}`);
      return stop;
    },
    async close(): Promise<void> {
      closing.abort();
      await first?.catch(() => {});
      await current?.end().catch(() => {});
    },
  };
}
