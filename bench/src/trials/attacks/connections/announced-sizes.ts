import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody } from '../../../harness/accounts.ts';
import { round } from '../../../harness/measures.ts';
import type { Attack } from '../attack.ts';
import { faultsOf, startAttacked, watchOthers } from '../others.ts';
import { beginUpload, openRaw, type RawConnection } from './raw-connection.ts';

const senders = 56;
/** Number of recordings of the largest size that the disk has room for. */
const roomFor = 30;
const sendersOfAccount = 8;
const mostBytes = 2_147_000_000;
const leastBytes = 100_000;
const settleMs = 5000;
const seconds = 20;

/**
 * Uploads announce 2 GB each and send almost nothing, on a disk with room for thirty. A refused upload announces half as much, until
 * nothing is left for others.
 */
export const announcedSizes: Attack = async ({ checkout, say }) => {
  const { bavail, bsize } = await statfs(tmpdir());
  const minFreeBytes = Math.max(0, bavail * bsize - roomFor * mostBytes);
  const server = await startAttacked(checkout, {
    INFERENCE_QUEUE: '200',
    MIN_FREE_DISK_BYTES: String(minFreeBytes),
  });
  const attack = new AbortController();
  try {
    const { origin } = server;
    const other = await signUpSomebody(origin);
    const announced = new Map<RawConnection, number>();

    async function announce(token: string): Promise<void> {
      let bytes = mostBytes;
      let connection = open(token, bytes);
      while (!attack.signal.aborted) {
        await delay(50);
        if (connection.received === '' && connection.isOpen) continue;
        announced.delete(connection);
        connection.end();
        bytes = Math.max(leastBytes, bytes / 2);
        connection = open(token, Math.round(bytes));
      }
      connection.end();
    }
    function open(token: string, bytes: number): RawConnection {
      const connection = openRaw(origin);
      beginUpload(connection, token, bytes);
      announced.set(connection, bytes);
      return connection;
    }

    const attackers: Promise<void>[] = [];
    let token = '';
    for (let n = 0; n < senders; n += 1) {
      if (n % sendersOfAccount === 0) token = await signUpSomebody(origin);
      attackers.push(announce(token));
    }
    await delay(settleMs);
    say(
      `${senders} announcements for ${seconds} s, where ${Math.round((bavail * bsize - minFreeBytes) / 1e9)} GB may be written`,
    );
    const others = await watchOthers(origin, other, AbortSignal.timeout(seconds * 1000));
    const announcedGigabytes = round([...announced.values()].reduce((sum, bytes) => sum + bytes, 0) / 1e9);
    attack.abort();
    await Promise.all(attackers);
    return { senders, mostBytes, seconds, announcedGigabytes, others, faults: faultsOf(others) };
  } finally {
    attack.abort();
    await server.stop();
  }
};
