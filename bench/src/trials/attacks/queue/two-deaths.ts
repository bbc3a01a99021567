import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody } from '../../../harness/accounts.ts';
import { round } from '../../../harness/measures.ts';
import { readProcessTree } from '../../../harness/process-tree.ts';
import type { Attack } from '../attack.ts';
import { startAttacked } from '../others.ts';
import { birds, DENSE, sendMany, threeHoursOfSilence, timeOf } from './long-silence.ts';

const longRecordings = 3;
const deaths = 2;
/** Until all of them are analysed (again), and none has a checkpoint yet. */
const settleMs = 6_000;
const shortRecordings = 3;
const mostMs = 170_000;
const allowedMs = 20_000;

/** Three long recordings are analysed when the analysis process dies, twice; another account asks for ten seconds. */
export const twoDeaths: Attack = async ({ checkout, say }) => {
  const [long, short] = [await threeHoursOfSilence(), await birds(10)];
  const server = await startAttacked(checkout);
  const attacking = new AbortController();
  try {
    const { origin } = server;
    const other = await signUpSomebody(origin);
    const token = await signUpSomebody(origin);
    const aloneMs = await timeOf(origin, { token: other, bytes: short, mostMs });
    await sendMany(origin, { count: longRecordings, token, bytes: long, fields: DENSE, signal: attacking.signal });
    for (let death = 0; death < deaths; death += 1) {
      await delay(settleMs);
      process.kill(analysisProcessOf(server.pid), 'SIGKILL');
      say(`the analysis process was killed (${death + 1} of ${deaths})`);
    }
    const times: (number | null)[] = [];
    while (times.length < shortRecordings && !times.includes(null)) {
      times.push(await timeOf(origin, { token: other, bytes: short, mostMs }));
    }
    const answeredMs = times.map((time) => (time === null ? null : round(time)));
    const late = times.filter((time) => time === null || time > allowedMs).length;
    return {
      longRecordings,
      deaths,
      aloneMs: aloneMs === null ? null : round(aloneMs),
      answeredMs,
      faults: late > 0 ? [`${late} of ${times.length} were not answered in ${allowedMs / 1000} s`] : [],
    };
  } finally {
    attacking.abort();
    await server.stop();
  }
};

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
