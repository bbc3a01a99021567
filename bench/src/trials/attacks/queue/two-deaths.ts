import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { round } from '../../../harness/measures.ts';
import { readProcessTree } from '../../../harness/process-tree.ts';
import type { Attack } from '../attack.ts';
import { attackQueue, isAnswered, type Outcome } from './long-silence.ts';

const longRecordings = 3;
const deaths = 2;
/** Until all of them are analysed (again), and none has a checkpoint yet. */
const settleMs = 6_000;
const shortRecordings = 3;
const mostMs = 170_000;
const allowedMs = 20_000;

/** Three long recordings are analysed when the analysis process dies, twice; another account asks for ten seconds. */
export const twoDeaths: Attack = async ({ checkout, say }) =>
  attackQueue(checkout, mostMs, async ({ server, aloneMs, sendLong, askShort }) => {
    await sendLong(longRecordings);
    for (let death = 0; death < deaths; death += 1) {
      await delay(settleMs);
      process.kill(analysisProcessOf(server.pid), 'SIGKILL');
      say(`the analysis process was killed (${death + 1} of ${deaths})`);
    }
    const outcomes: Outcome[] = [];
    while (outcomes.length < shortRecordings && !outcomes.some((outcome) => !isAnswered(outcome)))
      outcomes.push(await askShort());
    const late = outcomes.filter((outcome) => !isAnswered(outcome) || outcome > allowedMs).length;
    return {
      longRecordings,
      deaths,
      aloneMs,
      answeredMs: outcomes.map((outcome) => (isAnswered(outcome) ? round(outcome) : outcome)),
      faults: late > 0 ? [`${late} of ${outcomes.length} were not answered in ${allowedMs / 1000} s`] : [],
    };
  });

/** @throws Error when there is none */
function analysisProcessOf(serverPid: number): number {
  const found = readProcessTree(serverPid).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('analysis-program');
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
  if (found === undefined) throw new Error('There is no analysis process');
  return found;
}
