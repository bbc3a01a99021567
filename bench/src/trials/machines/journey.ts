import { setTimeout as delay } from 'node:timers/promises';
import { ask, askPrediction, codeOf } from '../../harness/api.ts';
import { round } from '../../harness/measures.ts';
import { hoursOfHum } from '../../harness/recordings.ts';
import { type ClusterOptions, startCluster } from './cluster.ts';
import { followEvents } from './follow-events.ts';
import { signUpPerson } from './people.ts';
import { readProcessorSeconds } from './processor-seconds.ts';
import { tableOf } from './table.ts';
import { type Step, timeWhatOthersKnow } from './what-others-know.ts';

const machines: ClusterOptions = { webs: 3, workers: 1 };
/** Its analysis takes several seconds, so that it can be cancelled in the middle. */
const hours = 0.4;
const mostMs = 1000;
/** A worker that has stopped uses less than this share of a core. */
const idleCores = 0.2;
const tus = { 'tus-resumable': '1.0.0' } as const;

/**
 * An upload is started at one web machine, completed at a second, followed at a third, and cancelled at the first. Measures how soon what
 * happens at one machine is known to the others.
 */
export async function runJourney(say: (line: string) => void) {
  // Settings require HTTPS; the trial acts as a trusted proxy that says so.
  const environment = { TRUST_PROXY: '127.0.0.1' };
  const cluster = await startCluster({ ...machines, environment });
  try {
    const [first = '', second = '', third = ''] = cluster.webs.map(({ origin }) => origin);
    const person = await signUpPerson(first);
    const { token } = person;
    const { buffer, name } = hoursOfHum(hours);
    const bytes = new Uint8Array(buffer);
    const half = bytes.length / 2;
    const steps: Step[] = [...(await timeWhatOthersKnow(cluster, person))];
    async function timed<LedgerLine>(step: string, act: () => Promise<LedgerLine>): Promise<LedgerLine> {
      const begin = performance.now();
      const said = await act();
      steps.push({ step, ms: round(performance.now() - begin) });
      return said;
    }
    const requireStatus = (answer: { status: number; body: unknown; headers: Headers }, status: number): Headers => {
      if (answer.status !== status) throw new Error(`${status} was expected, and the answer is ${codeOf(answer)}`);
      return answer.headers;
    };
    const piece = { ...tus, 'content-type': 'application/offset+octet-stream' };
    const begun = await timed('begun at the first', () =>
      ask(first, 'POST', '/v1/uploads', {
        token,
        headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': `filename ${btoa(name)}` },
      }),
    );
    const path = new URL(requireStatus(begun, 201).get('location') ?? '', first).pathname;
    requireStatus(
      await timed('half of it sent to the first', () =>
        ask(first, 'PATCH', path, { token, headers: { ...piece, 'upload-offset': '0' }, body: new Blob([bytes.slice(0, half)]) }),
      ),
      204,
    );
    const known = await timed('known at the second', () => ask(second, 'HEAD', path, { token, headers: tus }));
    if (Number(requireStatus(known, 200).get('upload-offset')) !== half)
      throw new Error('The second machine does not have the first half');
    requireStatus(
      await timed('the rest sent to the second', () =>
        ask(second, 'PATCH', path, {
          token,
          headers: { ...piece, 'upload-offset': String(half) },
          body: new Blob([bytes.slice(half)]),
        }),
      ),
      204,
    );
    const key = 'a-journey';
    const answered = askPrediction(second, { token, key, upload: path.split('/').at(-1) ?? '' });
    const listening = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<string>();
    const followed = follow();
    await timed('followed at the third: listening', () => listening.promise);
    await delay(mostMs);
    const cancelledAt = performance.now();
    const cancelled = await timed('cancelled at the first', () => ask(first, 'DELETE', `/v1/predictions/${key}`, { token }));
    requireStatus(cancelled, 200);
    steps.push({ step: 'told at the third', ms: await failed.promise.then(() => round(performance.now() - cancelledAt)) });
    steps.push({ step: 'told at the second', ms: await answered.then(() => round(performance.now() - cancelledAt)) });
    await delay(Math.max(0, mostMs - (performance.now() - cancelledAt)));
    const before = readProcessorSeconds(cluster.workers[0]?.processes() ?? []);
    await delay(mostMs);
    const cores = round((readProcessorSeconds(cluster.workers[0]?.processes() ?? []) - before) / (mostMs / 1000), 2);
    await followed;
    say(tableOf(steps));
    say(`a second after it was cancelled, the worker uses ${cores} of a core`);
    const codes = { third: await failed.promise, second: codeOf(await answered) };
    const wrong = [
      ...steps.flatMap(({ step, ms }) => (ms > mostMs ? [`${step}: ${ms} ms`] : [])),
      ...(cores > idleCores ? [`the worker goes on, with ${cores} of a core`] : []),
      ...(codes.third === 'PREDICTION_CANCELLED' && codes.second === '409 PREDICTION_CANCELLED'
        ? []
        : [`told as ${JSON.stringify(codes)}`]),
    ];
    return { report: { megabytes: round(bytes.length / 1e6), steps, cores, wrong }, passed: wrong.length === 0 };

    async function follow(): Promise<void> {
      const asked = { token, key, signal: AbortSignal.timeout(60_000) };
      const seen = (): Promise<boolean> =>
        followEvents(third, asked, (event) => {
          if (event.type === 'progress' && event.stage !== 'queued') listening.resolve();
          if (event.type === 'failed') failed.resolve(event.problem.code);
          if (event.type === 'done') failed.reject(new Error('It was answered before it was cancelled.'));
        });
      while (!(await seen())) await delay(10);
    }
  } finally {
    await cluster.stop();
  }
}
