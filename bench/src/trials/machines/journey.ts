/**
 * `npm run trial -- machines journey`: what happens at one web machine, and how soon the others know of it. A recording is sent to one
 * machine and found, followed and cancelled at others, and a sign-out reaches them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FORM_TYPE, file, form } from '@chiffchaff/server/testing/multipart';
import { openRawClient } from '@chiffchaff/server/testing/raw-client';
import { type Answer, ask, askPrediction, codeOf, followEvents, type SignedIn, signIn, signUp, tus } from '../../harness/api.ts';
import { round, timed, until } from '../../harness/measures.ts';
import { readProcessorSeconds } from '../../harness/processes.ts';
import { hoursOfHum } from '../../harness/recordings.ts';
import { type Cluster, type PartOptions, startCluster } from './machines.ts';

/** Its analysis takes several seconds, so that it can be cancelled in the middle. */
const HOURS = 0.4;
const MOST_MS = 1000;
/** A worker that has stopped uses less than this share of a core. */
const IDLE_CORES = 0.2;

/** Milliseconds that each step took. */
type Steps = Record<string, number>;

export async function runJourney({ checkout }: PartOptions) {
  await using cluster = await startCluster({ webs: 3, workers: 1, checkout });
  const person = await signUp(cluster.webs[0]?.origin ?? '');
  const steps = await timeIncoming(cluster, person);
  const { codes, coresAfterCancelling } = await timePieces(cluster, person, steps);
  const wrong = [
    ...Object.entries(steps).flatMap(([step, ms]) => (ms > MOST_MS ? [`${step}: ${ms} ms`] : [])),
    ...(coresAfterCancelling > IDLE_CORES ? [`the worker goes on, with ${coresAfterCancelling} of a core`] : []),
    ...(codes.join() === 'PREDICTION_CANCELLED,409 PREDICTION_CANCELLED' ? [] : [`told as ${codes}`]),
  ];
  return { report: { steps, coresAfterCancelling, wrong }, passed: wrong.length === 0 };
}

/** A recording that has partly arrived: found elsewhere, followed elsewhere until its session ends, cancelled elsewhere. */
async function timeIncoming({ webs }: Cluster, { email, token }: SignedIn): Promise<Steps> {
  const [first = '', second = '', third = ''] = webs.map(({ origin }) => origin);
  const key = 'arriving';
  const path = `/v1/predictions/${key}`;
  const session: string = required(await signIn(first, email), 200).body.idToken;
  const sender = await openRawClient(first);
  sender.write(
    `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nIdempotency-Key: ${key}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 100000\r\n\r\n`,
  );
  sender.write(form([file('x'.repeat(1000))], { end: false }));
  const found = await until('the upload is found', async () => (await ask(second, 'GET', path, { token })).status === 200);

  const followed = Promise.withResolvers<void>();
  const options = { token: session, signal: AbortSignal.timeout(60_000) };
  const stream = followEvents(third, key, options, () => followed.resolve()).then(
    () => followed.reject(new Error('The third machine ended the events.')),
    (error: unknown) => followed.reject(error), // a stream may be cut off instead of ending
  );
  await followed.promise;
  const ended = await timed(async () => {
    required(await ask(first, 'DELETE', '/v1/account/sessions/current', { token: session }), 200);
    await stream;
  });
  const told = await timed(async () => {
    required(await ask(second, 'DELETE', path, { token }), 200);
    await sender.until('PREDICTION_CANCELLED');
  });
  sender.cut();
  return {
    'an upload to the first, found at the second': round(found),
    'a sign-out at the first, known at the third': ended.ms,
    'an upload to the first, cancelled at the second': told.ms,
  };
}

/** A recording in pieces: begun at one machine, continued at another, followed at a third and cancelled at the first. */
async function timePieces({ webs, workers }: Cluster, { token }: SignedIn, steps: Steps) {
  const [first = '', second = '', third = ''] = webs.map(({ origin }) => origin);
  const { buffer, name } = hoursOfHum(HOURS);
  const half = buffer.length / 2;
  async function step(what: string, status: number, act: () => Promise<Answer>): Promise<Answer> {
    const { result, ms } = await timed(act);
    steps[what] = ms;
    return required(result, status);
  }
  const path = tus.pathOf(await step('begun at the first', 201, () => tus.begin(first, name, buffer.length, { token })));
  await step('half of it sent to the first', 204, () => tus.send(first, path, 0, buffer.subarray(0, half), { token }));
  const known = await step('known at the second', 200, () => tus.look(second, path, { token }));
  if (tus.offsetOf(known) !== half) throw new Error('The second machine does not have the first half');
  await step('the rest sent to the second', 204, () => tus.send(second, path, half, buffer.subarray(half), { token }));
  const key = 'a-journey';
  const answered = askPrediction(second, { token, key, upload: tus.idOf(path) });
  const listening = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<string>();
  const follow = (): Promise<boolean> =>
    followEvents(third, key, { token, signal: AbortSignal.timeout(60_000) }, (event) => {
      if (event.type === 'progress' && event.stage !== 'queued') listening.resolve();
      if (event.type === 'failed') failed.resolve(event.problem.code);
      if (event.type === 'done') failed.reject(new Error('It was answered before it was cancelled.'));
    });
  const followed = until('it is followed', follow);
  steps['followed at the third: listening'] = (await timed(() => listening.promise)).ms;
  await delay(MOST_MS);
  const cancelledAt = performance.now();
  const sinceCancelled = (): number => round(performance.now() - cancelledAt);
  await step('cancelled at the first', 200, () => ask(first, 'DELETE', `/v1/predictions/${key}`, { token }));
  const codes = [await failed.promise];
  steps['told at the third'] = sinceCancelled();
  codes.push(codeOf(await answered));
  steps['told at the second'] = sinceCancelled();
  await followed;
  await delay(Math.max(0, MOST_MS - sinceCancelled()));
  const used = (): number => readProcessorSeconds(workers[0]?.processes() ?? []);
  const before = used();
  await delay(MOST_MS);
  return { codes, coresAfterCancelling: round((used() - before) / (MOST_MS / 1000), 2) };
}

/** @throws Error when the answer has another status */
function required(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`${status} was expected, and the answer is ${codeOf(answer)}`);
  return answer;
}
