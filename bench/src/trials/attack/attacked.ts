/** What the attacks of attacks.ts share: servers under attack, how others fare meanwhile, raw connections, and long recordings. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import type { Detection, Prediction } from '@chiffchaff/contract';
import { askPrediction, codeOf, signUpSomebody, withoutAttemptLimits } from '../../harness/api.ts';
import { ffmpeg, makeSound } from '../../harness/make-recording.ts';
import { median, round, tally, timed, until } from '../../harness/measures.ts';
import { fallingNotes, type Sound } from '../../harness/recordings.ts';
import { makeOwnDataFolder, type StartedServer, startServer } from '../../harness/server.ts';
import { watchHealth } from '../../harness/watch-health.ts';

export interface Target {
  /** Another checkout whose server is attacked, to compare versions. */
  readonly checkout: string | undefined;
  /** Reports progress with a line of text. */
  readonly say: (line: string) => void;
}

/** Passes on a function that starts servers with one data folder; ends them and removes the folder afterwards. */
export async function withServers<Result>(
  { checkout }: Target,
  environment: Readonly<Record<string, string>>,
  act: (start: () => Promise<StartedServer>, dataDir: string) => Promise<Result>,
): Promise<Result> {
  await using data = await makeOwnDataFolder(checkout);
  await using servers = new AsyncDisposableStack();
  const common = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits };
  const options = { dataDir: data.path, ...(checkout === undefined ? {} : { checkout }) };
  return await act(async () => {
    const server = await startServer({ ...common, ...environment }, options);
    servers.defer(() => server.kill());
    return server;
  }, data.path);
}

/** A server, and the ID token of an account on it. */
type Used = StartedServer & { readonly token: string };

export const withServer = <Result>(
  target: Target,
  environment: Readonly<Record<string, string>>,
  act: (server: Used) => Promise<Result>,
): Promise<Result> =>
  withServers(target, environment, async (start) => {
    const server = await start();
    return act({ ...server, token: await signUpSomebody(server.origin) });
  });

interface Owner {
  readonly token: string;
  /** ids of predictions */
  readonly ids: readonly string[];
}
type Counts = readonly (readonly number[])[];
type Owners<Accounts extends Counts> = { readonly [Index in keyof Accounts]: Owner };

/** Starts a server on which each account has predictions with these numbers of detections, one a second, of many birds. */
export const withLargeAnswers = <const Accounts extends Counts, Result>(
  target: Target,
  { environment = {}, accounts }: { environment?: Readonly<Record<string, string>>; accounts: Accounts },
  act: (server: StartedServer, owners: Owners<Accounts>) => Promise<Result>,
): Promise<Result> =>
  withServers(target, environment, async (start, dataDir) => {
    const first = await start();
    const sent: { prediction: Prediction; detections: number }[] = [];
    const owners: Owner[] = [];
    for (const counts of accounts) {
      const token = await signUpSomebody(first.origin);
      const ids: string[] = [];
      for (const detections of counts) {
        const { body } = await askPrediction(first.origin, { token, ...fallingNotes(3), fields: { keepAudio: 'nothing' } });
        sent.push({ prediction: body, detections });
        ids.push(body.id);
      }
      owners.push({ token, ids });
    }
    await first.stop();
    const database = new DatabaseSync(join(dataDir, 'chiffchaff.sqlite'));
    for (const { prediction, detections } of sent) {
      const answer = deflateSync(JSON.stringify({ ...prediction, detections: manyDetections(detections) }));
      database.prepare('UPDATE predictions SET answer = ? WHERE id = ?').run(answer, prediction.id);
    }
    database.close();
    return act(await start(), owners as Owners<Accounts>);
  });

const manyDetections = (count: number): Detection[] =>
  Array.from({ length: count }, (_, index) => ({
    scientificName: `Avis numero ${index % 2000}`,
    commonName: `Bird ${index % 2000}`,
    startSeconds: index,
    endSeconds: index + 3,
    score: (index % 997) / 1000,
    confidence: 0.1,
    occurrence: null,
    hidden: false,
  }));

export const OTHERS = 'another account refused nothing, /healthz ≤ 500 ms';
const MOST_HEALTH_MS = 500;

/** Sends a short recording of another account every second, and requests `/healthz`, for some seconds. */
export async function watchOthers(origin: string, token: string, seconds: number) {
  const recording = fallingNotes(3);
  const answerMs: number[] = [];
  const refusals: string[] = [];
  const stopWatching = watchHealth(origin);
  for (const endsAt = performance.now() + 1000 * seconds; performance.now() < endsAt; await delay(1000)) {
    const { result, ms } = await timed(() => askPrediction(origin, { token, ...recording }));
    if (result.status === 200) answerMs.push(ms);
    else refusals.push(codeOf(result));
  }
  const healthMs = await stopWatching();
  return {
    answerMs,
    healthMs,
    figure: `another account: ${answerMs.length} results, median ${round(median(answerMs))} ms; /healthz ${healthMs} ms (99 %)`,
    faults: [
      ...(answerMs.length === 0 ? ['no other account was answered'] : []),
      ...(refusals.length > 0 ? [`recordings of another account were refused: ${JSON.stringify(tally(refusals))}`] : []),
      ...(healthMs > MOST_HEALTH_MS ? [`/healthz took ${healthMs} ms (99 %)`] : []),
    ],
  };
}

/** All of 127/8 is this machine, but the server sees a separate network address. */
export const ATTACKER = '127.0.0.2';

/** Requests paths one after the other from the attacker's address, and cuts each response off after some milliseconds. */
export async function keepAsking(origin: string, path: () => string, end: AbortSignal, cutMs = 60_000): Promise<void> {
  const agent = new Agent({ keepAlive: true, localAddress: ATTACKER });
  while (!end.aborted) {
    const asked = request(origin + path(), { agent, headers: { accept: 'text/html,*/*', 'accept-encoding': 'br' } });
    const cut = setTimeout(() => asked.destroy(), cutMs);
    asked.once('response', (response) => response.resume()).on('error', () => {});
    // `once` would reject when it is cut off.
    await new Promise((resolve) => asked.once('close', resolve).end());
    clearTimeout(cut);
  }
  agent.destroy();
}

/** Opens a TCP connection for handwritten bytes, from another local address than that of the other clients. */
export function openRaw(origin: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, localAddress: ATTACKER });
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
  });
  // Cuts are expected; `isOpen` shows them.
  socket.on('error', () => {});
  return {
    /** Everything received so far. */
    get received() {
      return received;
    },
    get isOpen() {
      return !socket.destroyed && !socket.readableEnded;
    },
    /** Resolves at the first byte, or when the connection is closed. */
    answered: Promise.race([
      new Promise((resolve) => socket.once('data', resolve)),
      new Promise((resolve) => socket.once('close', resolve)),
    ]),
    /** Resolves when the bytes are sent, or cannot be. */
    write: (bytes: string | Buffer): Promise<void> =>
      new Promise((resolve) => (socket.writable ? socket.write(bytes, () => resolve()) : resolve())),
    end: () => socket.destroy(),
  };
}

/** Sends the beginning of a recording, announcing this many bytes. */
export function beginUpload(origin: string, token: string, announcedBytes: number) {
  const connection = openRaw(origin);
  void connection.write(
    `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      `Content-Length: ${announcedBytes}\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`,
  );
  return connection;
}

/** Three hours of silence at 8 kHz: a small file that takes long. */
export const threeHoursOfSilence = (): Promise<Sound> =>
  makeSound('silence.flac', (path) => ffmpeg(['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '10800', path]));

/** A part of the soundscape, over and over. */
export const birds = (seconds: number, name = 'birds.flac'): Promise<Sound> =>
  makeSound(name, { seconds, ...(seconds > 120 ? { loopSeconds: 120 } : { startSeconds: 30 % (120 - seconds + 1) }) });

/** At most this many bodies of one account are received at once, so more are sent in waves. */
export const AT_ONCE = 8;
const WAVE_MS = 3000;

/** What makes a recording take thirty times as long as usual. */
const DENSE = { overlapSeconds: '2.9', minScore: '0', keepAudio: 'nothing' } as const;

/**
 * One account sends recordings of three hours, to be analysed as densely as possible, and does not wait for the answers. Another one wants
 * ten seconds identified (`askShort`), which took it `aloneMs` before.
 *
 * @param mostMs how long the other account waits for each answer
 * @throws Error when a long recording is refused: the attack would be weaker than reported
 */
export async function attackQueue<Result>(
  target: Target,
  { longRecordings, mostMs }: { longRecordings: number; mostMs: number },
  attack: (started: { server: StartedServer; aloneMs: number; askShort: () => Promise<Outcome> }) => Promise<Result>,
): Promise<Result> {
  const [long, short] = [await threeHoursOfSilence(), await birds(10)];
  return withServer(target, {}, async (server) => {
    const { origin, token } = server;
    const attacker = await signUpSomebody(origin);
    const askShort = () => timeOf(origin, { token, ...short, mostMs });
    const alone = await askShort();
    if (typeof alone !== 'number') throw new Error(`Without an attack, a recording was ${alone}`);
    const refused: string[] = [];
    for (let n = 0; n < longRecordings; n += 1) {
      if (n % AT_ONCE === 0) await delay(WAVE_MS);
      askPrediction(origin, { token: attacker, ...long, fields: DENSE }).then(
        (answer) => refused.push(codeOf(answer)),
        // The server is killed in the end.
        () => {},
      );
    }
    await delay(WAVE_MS);
    if (refused.length > 0) throw new Error(`Long recordings were answered ${refused.join(', ')}`);
    return attack({ server, aloneMs: round(alone), askShort });
  });
}

/** Milliseconds to the answer; or there was none in time, or the server had no room for the recording (503). */
export type Outcome = number | 'unanswered' | 'refused';

export const isAnswered = (outcome: Outcome): outcome is number => typeof outcome === 'number';

/** Sends a recording, which is analysed even if its answer is not awaited for longer than `mostMs`. */
export async function timeOf(origin: string, asked: Sound & { token: string; mostMs: number }): Promise<Outcome> {
  const { mostMs, ...recording } = asked;
  const signal = AbortSignal.timeout(Math.ceil(mostMs));
  const options = { key: randomUUID(), fields: { keepAudio: 'nothing' }, signal };
  const { result, ms } = await timed(() => askPrediction(origin, { ...recording, ...options }).catch(() => null));
  if (result === null) return 'unanswered';
  if (result.status === 503) return 'refused';
  if (result.status !== 200) throw new Error(`A recording was answered ${codeOf(result)}`);
  return ms;
}

/** Long enough for the idle thread that opens large predictions to end. */
const IDLE_MS = 12_000;

/**
 * Opens the inspector of a process, which Node does on SIGUSR1. The server needs `--inspect-port=127.0.0.1:0` among its NODE_OPTIONS.
 *
 * @returns a function that collects garbage and measures, in megabytes: objects and buffers of the main thread, and the whole process.
 *   It collects twice, because after load the first collection leaves pages that the next returns, about 60 MB.
 */
export async function watchMemory(pid: number, { written }: StartedServer) {
  process.kill(pid, 'SIGUSR1');
  const url = (): string => /Debugger listening on (ws:\S+)/.exec(written())?.[1] ?? '';
  await until('the inspector listens', () => url() !== '');
  return async () => {
    const socket = new WebSocket(url());
    await once(socket, 'open');
    const command = (method: string, params: object = {}) =>
      new Promise<{ result: { value: number[] } }>((resolve, reject) => {
        socket.onmessage = ({ data }) => resolve(JSON.parse(data).result);
        socket.onclose = () => reject(new Error('The analysis process ended'));
        socket.send(JSON.stringify({ id: 1, method, params }));
      });
    for (let collected = 0; collected < 2; collected += 1) {
      await delay(IDLE_MS);
      await command('HeapProfiler.collectGarbage');
    }
    const { result } = await command('Runtime.evaluate', {
      expression: '(({ heapUsed, external, rss }) => [heapUsed + external, rss])(process.memoryUsage())',
      returnByValue: true,
    });
    // A process that is inspected does not end.
    socket.close();
    const [held = 0, resident = 0] = result.value;
    return { held: round(held / 1e6), resident: round(resident / 1e6) };
  };
}
