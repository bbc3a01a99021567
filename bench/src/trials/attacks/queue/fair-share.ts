import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody } from '../../../harness/accounts.ts';
import { median, round } from '../../../harness/measures.ts';
import type { Attack } from '../attack.ts';
import { startAttacked } from '../others.ts';
import { AT_ONCE, type Bytes, birds, isAnswered, type Outcome, threeHoursOfSilence, timeOf, WAVE_MS } from './long-silence.ts';

const minutes = 10;
const shortEveryMs = 5_000;

/** Seconds from the last byte to the answer; what has none at the end is counted. */
interface Share {
  readonly sent: number;
  readonly unfinished: number;
  readonly refused: number;
  readonly medianSeconds: number | null;
  readonly mostSeconds: number | null;
}

/** Three accounts for ten minutes: sixteen recordings of three hours, ten of ten minutes, and one of ten seconds every five. */
export const fairShare: Attack = async ({ checkout, say }) => {
  const [hours, tenMinutes, tenSeconds] = [await threeHoursOfSilence(), await birds(600), await birds(10)];
  const server = await startAttacked(checkout);
  try {
    const { origin } = server;
    const endMs = performance.now() + minutes * 60_000;
    const send = async (token: string, bytes: Bytes): Promise<Outcome> =>
      timeOf(origin, {
        token,
        bytes,
        key: randomUUID(),
        mostMs: Math.max(1, endMs - performance.now()),
        fields: { keepAudio: 'nothing' },
      });
    const several = async (count: number, bytes: Bytes): Promise<Share> => {
      const token = await signUpSomebody(origin);
      const sent: Promise<Outcome>[] = [];
      while (sent.length < count) {
        sent.push(send(token, bytes));
        if (sent.length % AT_ONCE === 0) await delay(WAVE_MS);
      }
      return shareOf(await Promise.all(sent));
    };
    const again = async (): Promise<Share> => {
      const token = await signUpSomebody(origin);
      const sent: Promise<Outcome>[] = [];
      while (performance.now() + shortEveryMs < endMs) {
        sent.push(send(token, tenSeconds));
        await delay(shortEveryMs);
      }
      return shareOf(await Promise.all(sent));
    };
    say(`three accounts for ${minutes} minutes`);
    const [threeHours, ofTenMinutes, ofTenSeconds] = await Promise.all([several(16, hours), several(10, tenMinutes), again()]);
    const shares = { threeHours, tenMinutes: ofTenMinutes, tenSeconds: ofTenSeconds };
    return {
      minutes,
      ...shares,
      faults: [
        ...Object.entries(shares).flatMap(([name, { refused }]) => (refused > 0 ? [`${name}: ${refused} were refused`] : [])),
        ...(ofTenSeconds.unfinished > 0 ? [`${ofTenSeconds.unfinished} recordings of ten seconds were not answered`] : []),
      ],
    };
  } finally {
    await server.stop();
  }
};

function shareOf(outcomes: readonly Outcome[]): Share {
  const answered = outcomes.filter(isAnswered);
  const seconds = (milliseconds: number) => (answered.length === 0 ? null : round(milliseconds / 1000, 2));
  const count = (outcome: Outcome) => outcomes.filter((other) => other === outcome).length;
  return {
    sent: outcomes.length,
    unfinished: count('unanswered'),
    refused: count('refused'),
    medianSeconds: seconds(median(answered)),
    mostSeconds: seconds(Math.max(...answered)),
  };
}
