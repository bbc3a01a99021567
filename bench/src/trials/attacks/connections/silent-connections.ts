import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody } from '../../../harness/accounts.ts';
import type { Attack } from '../attack.ts';
import { faultsOf, startAttacked, watchOthers } from '../others.ts';
import { openRaw } from './raw-connection.ts';

const connections = 2000;
/**
 * The number opened at a time. Beyond the listen backlog (511), the kernel drops the last packet of the handshake, and a client that
 * sends nothing believes forever that the connection is open.
 */
const openedAtOnce = 100;
const openEveryMs = 50;
const seconds = 100;
const lookEveryMs = 1000;
/** By then all of them have been accepted or refused. */
const settledSeconds = 5;
/** The longest time that they may stay open, and how many of them concurrently. */
const mostSeconds = 30;
const mostAtOnce = 600;

/** Connections from one address that send nothing. */
export const silentConnections: Attack = async ({ checkout, say }) => {
  const server = await startAttacked(checkout);
  try {
    const { origin } = server;
    const token = await signUpSomebody(origin);
    say(`${connections} silent connections, looked at for ${seconds} s`);
    const start = performance.now();
    const held: ReturnType<typeof openRaw>[] = [];
    while (held.length < connections) {
      held.push(...Array.from({ length: openedAtOnce }, () => openRaw(origin)));
      await delay(openEveryMs);
    }
    const others = watchOthers(origin, token, AbortSignal.timeout(seconds * 1000));
    let openWhenSettled: number | null = null;
    let livedSeconds = 0;
    while (performance.now() - start < seconds * 1000) {
      await delay(lookEveryMs);
      const open = held.filter(({ isOpen }) => isOpen).length;
      const passedSeconds = (performance.now() - start) / 1000;
      if (passedSeconds >= settledSeconds) openWhenSettled ??= open;
      if (open > 0) livedSeconds = Math.round(passedSeconds);
    }
    const figures = { connections, seconds, openWhenSettled, livedSeconds, others: await others };
    for (const connection of held) connection.end();
    const faults = [
      ...faultsOf(figures.others),
      ...(livedSeconds > mostSeconds ? [`silent connections lived ${livedSeconds} s`] : []),
      ...((openWhenSettled ?? 0) > mostAtOnce ? [`${openWhenSettled} connections of one address were open at once`] : []),
    ];
    return { ...figures, faults };
  } finally {
    await server.stop();
  }
};
