import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody } from '../../../harness/accounts.ts';
import { median, round } from '../../../harness/measures.ts';
import type { Attack } from '../attack.ts';
import { startAttacked } from '../others.ts';
import { birds, DENSE, sendMany, threeHoursOfSilence, timeOf } from './long-silence.ts';

const longRecordings = 16;
/** Until all that can be analysed at once are, and are known to be long. */
const settleMs = 40_000;
const shortRecordings = 60;
const shortEveryMs = 1_000;
const mostMs = 60_000;
const allowed = { medianMs: 1_000, mostMs: 2_500 } as const;

/** One account sends recordings that take hours, in small files; another asks for ten seconds, again and again. */
export const holdSlots: Attack = async ({ checkout, say }) => {
  const [long, short] = [await threeHoursOfSilence(), await birds(10)];
  const server = await startAttacked(checkout);
  const attacking = new AbortController();
  try {
    const { origin } = server;
    const other = await signUpSomebody(origin);
    const token = await signUpSomebody(origin);
    const aloneMs = await timeOf(origin, { token: other, bytes: short, mostMs });
    await sendMany(origin, { count: longRecordings, token, bytes: long, fields: DENSE, signal: attacking.signal });
    say(`${longRecordings} long recordings of one account, ${round((longRecordings * long.length) / 1e6)} MB`);
    await delay(settleMs);
    say(`${shortRecordings} short ones of another`);
    const asked: Promise<number | null>[] = [];
    for (let n = 0; n < shortRecordings; n += 1) {
      asked.push(timeOf(origin, { token: other, bytes: short, mostMs }));
      await delay(shortEveryMs);
      // What waits for its answer takes the account's share of the queue.
      if (n === 3 && (await Promise.race([Promise.all(asked), delay(mostMs, null)])) === null) break;
    }
    const times = await Promise.all(asked);
    const answered = times.filter((time) => time !== null);
    const figures = {
      aloneMs: aloneMs === null ? null : round(aloneMs),
      asked: times.length,
      unanswered: times.length - answered.length,
      medianMs: round(median(answered)),
      mostMs: round(Math.max(...answered)),
    };
    return {
      longRecordings,
      ...figures,
      faults: [
        ...(figures.unanswered > 0 ? [`${figures.unanswered} of ${figures.asked} had no answer in ${mostMs / 1000} s`] : []),
        ...(figures.medianMs > allowed.medianMs
          ? [`half took more than ${figures.medianMs} ms; ${allowed.medianMs} are allowed`]
          : []),
        ...(figures.mostMs > allowed.mostMs ? [`one took ${figures.mostMs} ms; ${allowed.mostMs} are allowed`] : []),
      ],
    };
  } finally {
    attacking.abort();
    await server.stop();
  }
};
