import { setTimeout as delay } from 'node:timers/promises';
import { median, round } from '../../../harness/measures.ts';
import type { Attack } from '../attack.ts';
import { attackQueue, isAnswered, type Outcome } from './long-silence.ts';

const longRecordings = 16;
/** Until all that can be analysed at once are, and are known to be long. */
const settleMs = 40_000;
const shortRecordings = 60;
const shortEveryMs = 1_000;
const mostMs = 60_000;
const allowed = { medianMs: 1_000, mostMs: 2_500 } as const;

/** One account sends recordings that take hours, in small files; another asks for ten seconds, again and again. */
export const holdSlots: Attack = async ({ checkout, say }) =>
  attackQueue(checkout, mostMs, async ({ aloneMs, sendLong, askShort }) => {
    say(`${longRecordings} long recordings of one account, ${await sendLong(longRecordings)} MB`);
    await delay(settleMs);
    say(`${shortRecordings} short ones of another`);
    const asked: Promise<Outcome>[] = [];
    for (let n = 0; n < shortRecordings; n += 1) {
      asked.push(askShort());
      await delay(shortEveryMs);
      // Recordings that wait for their answers use up the account's share of the queue.
      if (n === 3 && (await Promise.race([Promise.all(asked), delay(mostMs, null)])) === null) break;
    }
    const outcomes = await Promise.all(asked);
    const answered = outcomes.filter(isAnswered);
    const figures = {
      aloneMs,
      asked: outcomes.length,
      unanswered: outcomes.length - answered.length,
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
  });
