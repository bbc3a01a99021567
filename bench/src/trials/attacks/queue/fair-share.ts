import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody } from '../../../harness/accounts.ts';
import { median, round } from '../../../harness/measures.ts';
import type { Attack } from '../attack.ts';
import { startAttacked } from '../others.ts';
import { type Bytes, birds, threeHoursOfSilence, timeOf } from './long-silence.ts';

const minutes = 10;
const shortEveryMs = 5_000;

/** Seconds from the last byte to the answer; what has none at the end is counted. */
interface Share {
  readonly sent: number;
  readonly unfinished: number;
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
    const send = async (token: string, bytes: Bytes): Promise<number | null> =>
      timeOf(origin, { token, bytes, mostMs: Math.max(1, endMs - performance.now()), fields: { keepAudio: 'nothing' } });
    const several = async (count: number, bytes: Bytes): Promise<Share> => {
      const token = await signUpSomebody(origin);
      return shareOf(await Promise.all(Array.from({ length: count }, () => send(token, bytes))));
    };
    const again = async (): Promise<Share> => {
      const token = await signUpSomebody(origin);
      const sent: Promise<number | null>[] = [];
      while (performance.now() + shortEveryMs < endMs) {
        sent.push(send(token, tenSeconds));
        await delay(shortEveryMs);
      }
      return shareOf(await Promise.all(sent));
    };
    say(`three accounts for ${minutes} minutes`);
    const [threeHours, ofTenMinutes, ofTenSeconds] = await Promise.all([several(16, hours), several(10, tenMinutes), again()]);
    return {
      minutes,
      threeHours,
      tenMinutes: ofTenMinutes,
      tenSeconds: ofTenSeconds,
      faults: ofTenSeconds.unfinished > 0 ? [`${ofTenSeconds.unfinished} recordings of ten seconds were not answered`] : [],
    };
  } finally {
    await server.stop();
  }
};

function shareOf(times: readonly (number | null)[]): Share {
  const answered = times.filter((time) => time !== null);
  const seconds = (milliseconds: number) => (answered.length === 0 ? null : round(milliseconds / 1000, 2));
  return {
    sent: times.length,
    unfinished: times.length - answered.length,
    medianSeconds: seconds(median(answered)),
    mostSeconds: seconds(Math.max(...answered)),
  };
}
