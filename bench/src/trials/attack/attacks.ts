/**
 * `npm run trial -- attack`: what one client can do to the others. Each attack sends a bounded number of requests, for a bounded time, to a
 * server of its own on this machine, and says what it measured and which of it is not as it should be.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { readlink, rm, statfs, symlink } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { SpectrogramQuery } from '@chiffchaff/contract';
import { type Answer, ask, askIdentity, askPrediction, codeOf, signIn, signUpSomebody } from '../../harness/api.ts';
import { median, percentile, round, tally, timed, until } from '../../harness/measures.ts';
import { password } from '../../harness/people.ts';
import { analysisProcessOf, readTreeMemory } from '../../harness/processes.ts';
import { fallingNotes, type Sound } from '../../harness/recordings.ts';
import { rowText } from '../../harness/report.ts';
import { memorySettings, type StartedServer } from '../../harness/server.ts';
import { watchHealth } from '../../harness/watch-health.ts';
import {
  AT_ONCE,
  attackQueue,
  beginUpload,
  birds,
  isAnswered,
  keepAsking,
  OTHERS,
  type Outcome,
  openRaw,
  type Target,
  threeHoursOfSilence,
  timeOf,
  watchMemory,
  watchOthers,
  withLargeAnswers,
  withServer,
  withServers,
} from './attacked.ts';

interface Measured {
  readonly figure: string;
  /** What was not as it should be; absent if the attack cannot run here. */
  readonly faults?: readonly string[];
}

interface Attack {
  /** What the attacker does. */
  readonly sentence: string;
  /** What must hold. */
  readonly limit: string;
  readonly run: (target: Target) => Promise<Measured>;
}

const somebodyElse = () => ({ email: `${randomUUID()}@example.org`, password, returnSecureToken: true });
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
/** The names of what does not hold. */
const failing = (held: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(held).flatMap(([what, isHeld]) => (isHeld ? [] : [what]));

/** By their names in `npm run trial -- attack NAME`. */
export const attacks = {
  'announced-sizes': {
    sentence:
      '56 uploads declare 2 GB each, on a disk with room for thirty, send almost nothing, and declare half as much when refused',
    limit: OTHERS,
    async run(target) {
      const [senders, mostBytes] = [56, 2_147_000_000];
      const { bavail, bsize } = await statfs(tmpdir());
      const minFreeBytes = Math.max(0, bavail * bsize - 30 * mostBytes);
      return withServer(
        target,
        { INFERENCE_QUEUE: '200', MIN_FREE_DISK_BYTES: `${minFreeBytes}` },
        async ({ origin, token: other }) => {
          const tokens: string[] = [];
          while (tokens.length < senders / AT_ONCE) tokens.push(await signUpSomebody(origin));
          const uploads = times(senders, (n) => {
            const token = tokens[Math.floor(n / AT_ONCE)] ?? '';
            return { token, bytes: mostBytes, connection: beginUpload(origin, token, mostBytes) };
          });
          const declareLess = setInterval(() => {
            for (const upload of uploads) {
              if (upload.connection.received === '' && upload.connection.isOpen) continue;
              upload.connection.end();
              upload.bytes = Math.max(100_000, Math.round(upload.bytes / 2));
              upload.connection = beginUpload(origin, upload.token, upload.bytes);
            }
          }, 50);
          await delay(5000);
          const { figure, faults } = await watchOthers(origin, other, 20);
          clearInterval(declareLess);
          const declared = round(uploads.reduce((sum, { bytes }) => sum + bytes, 0) / 1e9);
          return { figure: `${declared} GB declared; ${figure}`, faults };
        },
      );
    },
  },
  'cut-exports': {
    sentence: 'one account requests tables again and again, and cuts off each response before or after its first bytes',
    limit: 'the analysis process grows by at most 10 %, and no file is left',
    run: (target) => {
      const environment = { NODE_OPTIONS: `${memorySettings(target.checkout).NODE_OPTIONS ?? ''} --inspect-port=127.0.0.1:0` };
      // Just below large, so that the server opens it without taking turns, and large.
      return withLargeAnswers(target, { environment, accounts: [[2400, 20_000]] }, async (server, [{ token, ids }]) => {
        const { origin, dataDir } = server;
        const [small = '', large = ''] = ids.map((id) => `/v1/predictions/${id}/export?format=csv`);
        for (let asked = 0; asked < 20; asked += 1) await ask(origin, 'GET', asked % 2 === 0 ? small : large, { token });
        const memory = await watchMemory(analysisProcessOf(server.pid), server);
        const figures: string[] = [];
        const faults: string[] = [];
        // If they leak, those of a small one leak about a megabyte each, and those of a large one more than ten.
        for (const { name, path, cuts } of [
          { name: 'small', path: small, cuts: 1000 },
          { name: 'large', path: large, cuts: 50 },
        ])
          for (const [when, isRead] of [
            ['after the first bytes', true],
            ['before them', false],
          ] as const) {
            const before = await memory();
            const endsAt = performance.now() + 180_000;
            let sent = 0;
            const keepCutting = async (): Promise<void> => {
              for (; sent < cuts && performance.now() < endsAt; ) {
                sent += 1;
                const connection = openRaw(origin);
                await connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
                if (isRead) await connection.answered;
                connection.end();
              }
            };
            await Promise.all(times(4, keepCutting));
            // The server may still be making what was cut off; this export waits behind it.
            const isMade = async () => (await ask(origin, 'GET', path, { token })).status === 200;
            await until('an export is made again', isMade, { withinMs: 120_000, everyMs: 500 });
            const after = await memory();
            const grown = `${sent} ${name} ${when}: ${before.held} MB held, ${before.resident} resident, then ${after.held}, ${after.resident}`;
            target.say(grown);
            figures.push(grown);
            faults.push(...failing({ [grown]: after.held <= 1.1 * before.held && after.resident <= 1.1 * before.resident }));
          }
        const folder = join(dataDir, 'exports');
        const filesLeft = existsSync(folder) ? readdirSync(folder).length : 0;
        return {
          figure: figures.join('; '),
          faults: [...faults, ...failing({ [`no file is left: ${filesLeft}`]: filesLeft === 0 })],
        };
      });
    },
  },
  'cut-seasons': {
    sentence: 'six loops have the season of one time zone after another worked out, and cut each response off after 250 ms',
    limit: 'another address is answered ten times of ten',
    run: (target) =>
      withServer(target, {}, async ({ origin }) => {
        const zones = Intl.supportedValuesOf('timeZone');
        const season = (zone = '') => `/v1/species/Erithacus%20rubecula/season?timeZone=${encodeURIComponent(zone)}`;
        const stop = new AbortController();
        let asked = 0;
        const answeredMs: number[] = [];
        const loops = times(6, () => keepAsking(origin, () => season(zones[asked++ % zones.length]), stop.signal, 250));
        for (let other = 1; other <= 10; other += 1) {
          await delay(1000);
          const { result, ms } = await timed(() => ask(origin, 'GET', season(zones.at(-other))));
          // Some zones have no towns.
          if (result.status < 500) answeredMs.push(ms);
        }
        stop.abort();
        await Promise.all(loops);
        const figure = `${asked} asked for; another address: ${answeredMs.length} of 10, the slowest after ${Math.max(...answeredMs)} ms`;
        return { figure, faults: failing({ 'ten of ten': answeredMs.length === 10 }) };
      }),
  },
  'fair-share': {
    sentence:
      'for ten minutes, one account sends sixteen recordings of three hours, one ten of ten minutes, and one ten seconds every five',
    limit: 'nothing refused, all of ten seconds answered',
    async run(target) {
      const [hours, tenMinutes, tenSeconds] = [await threeHoursOfSilence(), await birds(600), await birds(10)];
      return withServer(target, {}, async ({ origin }) => {
        const endMs = performance.now() + 600_000;
        const share = async (name: string, sound: Sound, count: number, pauseMs: number) => {
          const token = await signUpSomebody(origin);
          const sent: Promise<Outcome>[] = [];
          const haveArrived = async (): Promise<boolean> => {
            const { inWork, predictions } = (await ask(origin, 'GET', '/v1/predictions?limit=100', { token })).body;
            return inWork.length + predictions.length >= sent.length;
          };
          for (; sent.length < count && performance.now() + pauseMs < endMs; await delay(pauseMs)) {
            sent.push(timeOf(origin, { token, ...sound, mostMs: endMs - performance.now() }));
            // Until then, more recordings of the account are refused.
            if (pauseMs === 0 && sent.length % AT_ONCE === 0) await until('these have arrived', haveArrived);
          }
          const outcomes = await Promise.all(sent);
          await delay(endMs - performance.now());
          // `fetch` waits for an answer for at most five minutes; the history also has those that took longer.
          const { predictions } = (await ask(origin, 'GET', '/v1/predictions?limit=100', { token })).body;
          const waited = outcomes.filter(isAnswered).map((ms) => ms / 1000);
          const [half, most] = [round(median(waited), 2), round(Math.max(...waited), 2)];
          const figure = `${name}: ${Math.max(predictions.length, waited.length)} of ${sent.length}, half of those within 5 min took ${half} s, the slowest ${most} s`;
          return { figure, refused: outcomes.filter((one) => one === 'refused').length, missing: sent.length - waited.length };
        };
        const [threeHours, ofMinutes, ofSeconds] = await Promise.all([
          share('3 h', hours, 16, 0),
          share('10 min', tenMinutes, 10, 0),
          share('10 s', tenSeconds, Number.POSITIVE_INFINITY, 5000),
        ]);
        const shares = [threeHours, ofMinutes, ofSeconds];
        return {
          figure: shares.map(({ figure }) => figure).join('; '),
          faults: [
            ...shares.flatMap(({ figure, refused }) => failing({ [`none refused: ${figure}`]: refused === 0 })),
            ...failing({ 'all of ten seconds answered': ofSeconds.missing === 0 }),
          ],
        };
      });
    },
  },
  'full-disk': {
    sentence: 'the disk of the data folder, 96 MB in memory, is filled to the last byte; mounting it needs root',
    limit: '507 for what needs space; reading, signing in and deleting work; nobody loses anything',
    run: (target) =>
      withServers(target, { MIN_FREE_DISK_BYTES: '0' }, async (start, dataDir) => {
        const links = await Promise.all(
          readdirSync(dataDir).map(async (name) => [name, await readlink(join(dataDir, name))] as const),
        );
        try {
          await run('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=0700', 'chiffchaff-trial', dataDir]);
        } catch (error) {
          return { figure: `not run here: ${error instanceof Error ? error.message.trim() : error}` };
        }
        try {
          for (const [name, installed] of links) await symlink(installed, join(dataDir, name));
          const server = await start();
          return await fillDisk(server).finally(server.kill);
        } finally {
          await run('umount', [dataDir]);
        }
      }),
  },
  'hold-slots': {
    sentence: 'one account sends sixteen recordings of three hours, in small files; another asks for ten seconds every second',
    limit: 'all 60 answered, half within 1 s, each within 2.5 s',
    run: (target) =>
      attackQueue(target, { longRecordings: 16, mostMs: 60_000 }, async ({ aloneMs, askShort }) => {
        // Until all that can be analysed at once are, and are known to be long.
        await delay(40_000);
        const asked: Promise<Outcome>[] = [];
        while (asked.length < 60) {
          asked.push(askShort());
          await delay(1000);
          // Recordings that wait for their answers use up the account's share of the queue.
          if (asked.length === 4 && (await Promise.race([Promise.all(asked), delay(60_000, null)])) === null) break;
        }
        const outcomes = await Promise.all(asked);
        const answered = outcomes.filter(isAnswered);
        const [half, most] = [round(median(answered)), round(Math.max(...answered))];
        return {
          figure: `${answered.length} of ${outcomes.length} answered, half within ${half} ms, the slowest after ${most} ms (${aloneMs} ms alone)`,
          faults: failing({
            'all answered': answered.length === 60,
            'half within 1 s': half <= 1000,
            'each within 2.5 s': most <= 2500,
          }),
        };
      }),
  },
  'large-answers': {
    sentence: 'ten minutes with the settings that detect most, whose result is requested forty times at once in every form',
    limit: '/healthz ≤ 100 ms (99 %), memory ≤ 1,200 MB, the server ends within 20 s',
    async run(target) {
      const dense = await birds(600, 'dense.mp3');
      return withServer(target, {}, async (server) => {
        const { origin, token } = server;
        let highestBytes = 0;
        const watch = setInterval(() => {
          highestBytes = Math.max(highestBytes, readTreeMemory(server.pid));
        }, 250);
        const p99Ms: number[] = [];
        const watched = async <Result>(act: () => Promise<Result>): Promise<Result> => {
          const stopWatching = watchHealth(origin);
          const result = await act();
          p99Ms.push(await stopWatching());
          return result;
        };
        const fields = { minScore: '0', overlapSeconds: '2.9', keepAudio: 'nothing' };
        const sent = await watched(() => askPrediction(origin, { token, ...dense, fields }));
        if (sent.status !== 200) throw new Error(`The recording was answered ${codeOf(sent)}`);
        const at = `/v1/predictions/${sent.body.id}`;
        const waves: Readonly<Record<string, readonly RequestLine[]>> = {
          'the result': [['GET', at]],
          'other conditions': [['POST', `${at}/conditions`, { minScore: 0 }]],
          files: [
            ...['csv', 'raven', 'audacity', 'json'].map((format): RequestLine => ['GET', `${at}/export?format=${format}`]),
            ...[`${at}/events`, '/v1/predictions/export', '/v1/account/export'].map((path): RequestLine => ['GET', path]),
          ],
        };
        const faults: string[] = [];
        for (const [name, asked] of Object.entries(waves)) {
          const answers = await watched(() => sendWave(origin, token, asked));
          target.say(`${name}: ${JSON.stringify(answers)}`);
          faults.push(...failing({ [`${name}: any answer`]: (answers[200] ?? 0) > 0 }));
        }
        const wave = sendWave(origin, token, Object.values(waves).flat());
        await delay(500);
        const { ms } = await timed(() => Promise.race([server.stop(), delay(40_000)]));
        clearInterval(watch);
        await server.kill();
        await wave;
        const [health, megabytes, seconds] = [Math.max(...p99Ms), round(highestBytes / 1e6), round(ms / 1000)];
        return {
          figure: `/healthz ${health} ms (99 %), ${megabytes} MB, ended within ${seconds} s`,
          faults: [...faults, ...failing({ '/healthz': health <= 100, memory: megabytes <= 1200, 'the end': seconds <= 20 })],
        };
      });
    },
  },
  'look-at-sounds': {
    sentence: 'twelve accounts send recordings without pause and keep audio; two of them look at the spectrogram of each at once',
    limit: '99 % of the spectrograms within 2 s',
    async run(target) {
      const sound = await birds(15, 'birds.m4a');
      return withServer(target, {}, async ({ origin }) => {
        const tookMs: number[] = [];
        const look = async (token: string, id: string): Promise<void> => {
          for (const query of looks) {
            const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
            const path = `/v1/predictions/${id}/spectrogram?${parameters}`;
            const { result, ms } = await timed(() => ask(origin, 'GET', path, { token }));
            tookMs.push(result.status === 200 ? ms : Number.POSITIVE_INFINITY);
          }
        };
        let results = 0;
        const keepSending = async (token: string, one: number, endsAt: number): Promise<void> => {
          const fields = { keepAudio: one % 4 === 0 ? 'recording' : 'moments' };
          while (performance.now() < endsAt) {
            const answer = await askPrediction(origin, { ...sound, token, fields });
            if (answer.status === 503) await delay(1000 * Number(answer.headers.get('retry-after') ?? 1));
            if (answer.status !== 200) continue;
            results += 1;
            if (one < 2) await look(token, answer.body.id);
          }
        };
        const tokens = await Promise.all(times(12, () => signUpSomebody(origin)));
        // The threads that draw start with the first request; that is not part of the load.
        const first = await askPrediction(origin, { ...sound, token: tokens[0] });
        do {
          tookMs.length = 0;
          await look(tokens[0] ?? '', first.body.id);
        } while (!tookMs.every(Number.isFinite));
        tookMs.length = 0;
        const endsAt = performance.now() + 75_000;
        await Promise.all(tokens.map((token, one) => keepSending(token, one, endsAt)));
        const inTime = round((100 * tookMs.filter((ms) => ms <= 2000).length) / tookMs.length);
        const [half, p99] = [round(median(tookMs)), round(percentile(tookMs, 0.99))];
        return {
          figure: `${results} results in 75 s; ${inTime} % of ${tookMs.length} spectrograms within 2 s, median ${half} ms, 99 % within ${p99} ms; load ${round(loadavg()[0] ?? 0)}`,
          faults: failing({ 'any result': results > 0, '99 % within 2 s': inTime >= 99 }),
        };
      });
    },
  },
  'many-exports': {
    sentence: 'one account keeps a hundred exports of everything running; another requests its large result twelve times',
    limit: 'all twelve answered',
    run: (target) =>
      withLargeAnswers(target, { accounts: [times(5, () => 20_000), [20_000]] }, async ({ origin }, [attacker, other]) => {
        const stop = new AbortController();
        const exports: number[] = [];
        const headers = { authorization: `Bearer ${attacker.token}` };
        const keepExporting = async (): Promise<void> => {
          while (!stop.signal.aborted) {
            const status = await fetch(`${origin}/v1/account/export`, { headers, signal: stop.signal })
              .then(readToEnd)
              .catch(() => 0);
            exports.push(status);
            // A refused export is tried again at once, whatever `Retry-After` says.
            if (status !== 200) await delay(100);
          }
        };
        const exporting = times(100, keepExporting);
        await delay(1000);
        const answerMs: number[] = [];
        for (let asked = 0; asked < 12; asked += 1) {
          const options = { token: other.token, signal: AbortSignal.timeout(30_000) };
          const asking = () => ask(origin, 'GET', `/v1/predictions/${other.ids[0]}`, options).catch(() => null);
          const { result, ms } = await timed(asking);
          if (result?.status === 200) answerMs.push(ms);
        }
        stop.abort();
        await Promise.all(exporting);
        return {
          figure: `${answerMs.length} of 12 answered, half within ${round(median(answerMs))} ms, the slowest after ${round(Math.max(...answerMs))} ms; exports ${JSON.stringify(tally(exports))}`,
          faults: failing({ 'all twelve': answerMs.length === 12, 'any export': exports.includes(200) }),
        };
      }),
  },
  'place-names': {
    sentence:
      'eight loops search for places or birds by few letters, for the country of a place at sea, or for the birds around ever other places',
    limit: '/healthz ≤ 100 ms (99 %)',
    run: (target) =>
      withServer(target, {}, async ({ origin }) => {
        // The first search waits until the places are ready.
        const searches = ['places?q=berlin', 'places?q=s', 'places?q=sa', 'places?q=san', 'places?q=s,x'];
        const ofBirds = ['species/search?q=s', 'species/search?q=s&latitude=PLACE&longitude=8'];
        const around = ['places/region?latitude=48&longitude=-30', 'species/around?week=20&longitude=8&latitude=PLACE'];
        const p99Ms: Record<string, number> = {};
        for (const path of [...searches, ...ofBirds, ...around]) {
          let asked = 0;
          const next = () => `/v1/${path.replace('PLACE', () => `${(asked++ % 1400) / 10 - 70}`)}`;
          await ask(origin, 'GET', next());
          const end = AbortSignal.timeout(8000);
          const stopWatching = watchHealth(origin);
          await Promise.all(times(8, () => keepAsking(origin, next, end)));
          p99Ms[path] = await stopWatching();
        }
        return { figure: JSON.stringify(p99Ms), faults: failing({ '/healthz': Math.max(...Object.values(p99Ms)) <= 100 }) };
      }),
  },
  'public-links': {
    sentence: '300 visitors open a link to 5,929 detections at once',
    limit: 'its owner is answered within 1 s, and every visitor',
    run: (target) =>
      withLargeAnswers(
        target,
        { accounts: [[5929]] },
        async (
          { origin },
          [
            {
              token,
              ids: [id],
            },
          ],
        ) => {
          const path = `/v1/predictions/${id}`;
          const link = await ask(origin, 'POST', `${path}/links`, { token, json: { sound: false } });
          const visits = times(300, () => ask(origin, 'GET', `/v1/shared/${link.body.token}`));
          const { result, ms } = await timed(() => ask(origin, 'GET', path, { token }));
          const answers = tally((await Promise.all(visits)).map(codeOf));
          return {
            figure: `its owner: ${result.status} after ${ms} ms; visitors: ${JSON.stringify(answers)}`,
            faults: failing({
              'the owner within 1 s': result.status === 200 && ms <= 1000,
              'all visitors': answers[200] === 300,
            }),
          };
        },
      ),
  },
  'reset-timing': {
    sentence:
      'password resets for 200 addresses with an account and 200 without, each followed by /healthz on the same connection',
    limit: 'response times do not tell them apart: area under the ROC curve 0.4 to 0.6',
    async run(target) {
      const smtpServer = new URL('../../../../apps/server/src/identity/testing/smtp-server.ts', import.meta.url).href;
      const mail = new Worker(MAIL_SERVER, { eval: true, workerData: smtpServer });
      const [port] = await once(mail, 'message');
      const many = '1000000/3600';
      const limits = { CODE_MAIL_LIMIT_PER_CLIENT: many, CODE_MAIL_LIMIT_PER_ADDRESS: many };
      return withServer(target, { ...limits, SMTP_URL: `smtp://127.0.0.1:${port}` }, async ({ origin }) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const timed = async (method: string, path: string, body?: object): Promise<number> => {
          const start = performance.now();
          const asked = request(origin + path, { agent, method, headers: body ? { 'content-type': 'application/json' } : {} });
          asked.end(body && JSON.stringify(body));
          const [answer] = await once(asked, 'response');
          await once(answer.resume(), 'end');
          if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}`);
          return performance.now() - start;
        };
        const known = times(20, somebodyElse);
        for (const person of known) await askIdentity(origin, 'signUp', person);
        // In random order.
        const kinds = times(400, (index) => ({ isKnown: index % 2 === 0, place: Math.random() })).toSorted(
          (a, b) => a.place - b.place,
        );
        const measured: { readonly isKnown: boolean; readonly ms: readonly number[] }[] = [];
        for (const [index, { isKnown }] of kinds.entries()) {
          const { email } = (isKnown ? known[index % known.length] : undefined) ?? somebodyElse();
          const sentMs = await timed('POST', '/v1/accounts:sendOobCode?key=trial', { requestType: 'PASSWORD_RESET', email });
          const healthMs: number[] = [];
          while (healthMs.length < 12) healthMs.push(await timed('GET', '/healthz'));
          // The first ones warm up.
          if (index >= 20) measured.push({ isKnown, ms: [sentMs, healthMs[0] ?? 0, healthMs.reduce((sum, ms) => sum + ms)] });
          await delay(30);
        }
        agent.destroy();
        const areas = ['the request', 'the next', 'the next twelve'].map((name, which) => {
          const of = (kind: boolean) => measured.flatMap(({ isKnown, ms }) => (isKnown === kind ? [ms[which] ?? 0] : []));
          return { name, area: round(areaUnderCurve(of(true), of(false)), 3) };
        });
        return {
          figure: areas.map(({ name, area }) => `${name} ${area}`).join(', '),
          faults: areas.flatMap(({ name, area }) => failing({ [name]: Math.abs(area - 0.5) <= 0.1 })),
        };
      }).finally(() => mail.terminate());
    },
  },
  'silent-connections': {
    sentence: '2,000 connections of one address that send nothing',
    limit: `at most 600 at once, for at most 30 s; ${OTHERS}`,
    run: (target) =>
      withServer(target, {}, async ({ origin, token }) => {
        const start = performance.now();
        const held: ReturnType<typeof openRaw>[] = [];
        // Beyond the listen backlog (511), the kernel drops the last packet of the handshake, and a client that sends nothing believes
        // forever that the connection is open.
        for (; held.length < 2000; await delay(50)) held.push(...times(100, () => openRaw(origin)));
        const others = watchOthers(origin, token, 100);
        let [openAfter5, livedSeconds] = [-1, 0];
        for (let seconds = 0; seconds < 100; seconds = (performance.now() - start) / 1000) {
          const isOpen = held.filter((connection) => connection.isOpen).length;
          if (seconds >= 5 && openAfter5 < 0) openAfter5 = isOpen;
          if (isOpen > 0) livedSeconds = Math.round(seconds);
          await delay(1000);
        }
        const { figure, faults } = await others;
        for (const connection of held) connection.end();
        return {
          figure: `${openAfter5} open at once, the last for ${livedSeconds} s; ${figure}`,
          faults: [...faults, ...failing({ 'at most 30 s': livedSeconds <= 30, 'at most 600 at once': openAfter5 <= 600 })],
        };
      }),
  },
  'slow-uploads': {
    sentence: 'four accounts at one address upload nine recordings each, just above the minimum speed of a half-minute',
    limit: OTHERS,
    run: (target) =>
      withServer(target, {}, async ({ origin, token: other }) => {
        const uploads: ReturnType<typeof openRaw>[] = [];
        for (let account = 0; account < 4; account += 1) {
          const token = await signUpSomebody(origin);
          uploads.push(...times(9, () => beginUpload(origin, token, 100_000_000)));
        }
        const trickle = setInterval(() => {
          for (const upload of uploads) void upload.write(Buffer.alloc(2300));
        }, 1000);
        await delay(2000);
        const { figure, faults } = await watchOthers(origin, other, 150);
        clearInterval(trickle);
        const count = (code: string) => uploads.filter(({ received }) => received.includes(code)).length;
        return { figure: `${count('SERVER_BUSY')} refused, ${count('UPLOAD_TIMEOUT')} ended; ${figure}`, faults };
      }),
  },
  'static-loops': {
    sentence: 'sixteen clients request one static response without pause, one path after another',
    limit: `predictions at most three times as slow; ${OTHERS}`,
    run: (target) =>
      withServer(target, { LOG_LEVEL: 'info', REQUEST_LIMIT_PER_CLIENT: '' }, async ({ origin, token }) => {
        const page = String((await ask(origin, 'GET', '/', { headers: { accept: 'text/html' } })).body);
        const asset = /\/assets\/[\w.-]+\.js/.exec(page)?.[0] ?? '/';
        const quietMs = median((await watchOthers(origin, token, 10)).answerMs);
        const slowest = { ms: 0, healthMs: 0 };
        const faults: string[] = [];
        for (const path of ['/openapi.json', '/docs/api/yaml', '/config.json', '/process', asset]) {
          target.say(path);
          const end = AbortSignal.timeout(20_000);
          const loops = times(16, () => keepAsking(origin, () => path, end));
          const others = await watchOthers(origin, token, 20);
          await Promise.all(loops);
          const ms = round(median(others.answerMs));
          faults.push(
            ...[...others.faults, ...failing({ [`predictions: ${ms} ms`]: ms <= 3 * quietMs })].map(
              (fault) => `${path}: ${fault}`,
            ),
          );
          slowest.ms = Math.max(slowest.ms, ms);
          slowest.healthMs = Math.max(slowest.healthMs, others.healthMs);
        }
        const figure = `a prediction takes ${slowest.ms} ms (median, slowest path), ${round(quietMs)} ms without; /healthz ${slowest.healthMs} ms (99 %)`;
        return { figure, faults };
      }),
  },
  'two-deaths': {
    sentence:
      'the analysis process dies twice while it analyses three recordings of three hours; another account asks for ten seconds',
    limit: 'each of three answered within 20 s',
    run: (target) =>
      attackQueue(target, { longRecordings: 3, mostMs: 170_000 }, async ({ server, askShort }) => {
        for (let death = 0; death < 2; death += 1) {
          // Until all of them are analysed (again), and none has a checkpoint yet.
          await delay(6000);
          process.kill(analysisProcessOf(server.pid), 'SIGKILL');
        }
        const outcomes: Outcome[] = [];
        while (outcomes.length < 3) outcomes.push(await askShort());
        const late = outcomes.filter((each) => !isAnswered(each) || each > 20_000).length;
        return {
          figure: `answered after ${outcomes.map((each) => (isAnswered(each) ? `${round(each)} ms` : each)).join(', ')}`,
          faults: failing({ 'each within 20 s': late === 0 }),
        };
      }),
  },
  'write-lock': {
    sentence: 'another program holds the lock of the database for 20 s, while people read, sign up and send recordings',
    limit: '/healthz ≤ 100 ms (99 %), reads work, writes get 503 within 3 s, what was accepted before is answered after',
    run: (target) =>
      withServer(target, { MIN_FREE_DISK_BYTES: '0' }, async ({ origin, dataDir, token }) => {
        const sound = fallingNotes(3);
        await askPrediction(origin, { token, ...sound });
        // Analysed while the lock is held; cannot be stored until it is released.
        const accepted = askPrediction(origin, { token, key: 'accepted-before', ...fallingNotes(90) });
        const isAnalysed = async () => {
          const { body } = await ask(origin, 'GET', '/v1/predictions/accepted-before', { token });
          return body.state === 'done' || body.work?.stage === 'listening';
        };
        await until('it is analysed', isAnalysed);
        const database = new DatabaseSync(join(dataDir, 'chiffchaff.sqlite'), { timeout: 5000 });
        database.exec('BEGIN IMMEDIATE');
        const stopWatching = watchHealth(origin);
        const endsAt = performance.now() + 20_000;
        const [reads, writes]: [string[], string[]] = [[], []];
        const refusalMs: number[] = [];
        let withoutRetryAfter = 0;
        const repeat = async (answers: string[], everyMs: number, send: () => Promise<Answer>): Promise<void> => {
          for (; performance.now() < endsAt; await delay(everyMs)) {
            const { result: answer, ms } = await timed(send);
            answers.push(codeOf(answer));
            if (answer.status < 400) continue;
            refusalMs.push(ms);
            if (answer.headers.get('retry-after') === null) withoutRetryAfter += 1;
          }
        };
        await Promise.all([
          repeat(reads, 100, () => ask(origin, 'GET', '/v1/predictions', { token })),
          repeat(writes, 500, () => askIdentity(origin, 'signUp', somebodyElse())),
          repeat(writes, 500, () => askPrediction(origin, { token, ...sound })),
        ]);
        const p99Ms = await stopWatching();
        database.exec('ROLLBACK');
        database.close();
        const answer = await accepted;
        const { predictions } = (await ask(origin, 'GET', '/v1/predictions', { token })).body;
        const after = await askPrediction(origin, { token, ...sound });
        const isOnly = (answers: readonly string[], pattern: RegExp) => answers.every((each) => pattern.test(each));
        return {
          figure: `/healthz ${p99Ms} ms (99 %); reads ${JSON.stringify(tally(reads))}; writes ${JSON.stringify(tally(writes))} after ${round(median(refusalMs))} ms (median)`,
          faults: failing({
            '/healthz': p99Ms <= 100,
            reads: isOnly(reads, /^200$/),
            'refused writes': isOnly(writes, /^(200$|503 )/) && withoutRetryAfter === 0 && Math.max(...refusalMs) <= 3000,
            [`accepted before: ${codeOf(answer)}`]: answer.status === 200,
            '… in the history': predictions.some(({ id }: { id: string }) => id === answer.body.id),
            [`afterwards: ${codeOf(after)}`]: after.status === 200,
          }),
        };
      }),
  },
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;
export const ATTACK_NAMES = Object.keys(attacks) as readonly AttackName[];

/** Runs attacks one after the other, and prints a row for each. @returns whether everything was as it should be */
export async function runAttacks(names: readonly AttackName[], target: Target): Promise<boolean> {
  let passed = true;
  for (const name of names) {
    const { sentence, limit, run }: Attack = attacks[name];
    target.say(`${name}: ${sentence}`);
    const row = await run(target).catch((error: unknown) => ({ figure: 'failed', faults: [String(error)] }));
    process.stdout.write(rowText({ what: name, limit, ...row }));
    passed &&= (row.faults ?? []).length === 0;
  }
  return passed;
}

/** The page's requests for the whole of a recording of 15 s, and then for a part that the user zooms in on. */
const looks: readonly SpectrogramQuery[] = [
  { startSeconds: 0, endSeconds: 15, maxHz: 15_000, columns: 469, rows: 320 },
  { startSeconds: 4, endSeconds: 6, maxHz: 15_000, columns: 500, rows: 320 },
];

type RequestLine = readonly [method: string, path: string, json?: object];

/** Sends forty requests at once, cycling through `asked`. @returns the number of responses by status; `none` for those not complete in 30 s */
async function sendWave(origin: string, token: string, asked: readonly RequestLine[]): Promise<Record<string, number>> {
  const signal = AbortSignal.timeout(30_000);
  const answers = times(40, (index) => {
    const [method, path, json] = asked[index % asked.length] ?? ['GET', '/'];
    const headers = { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) };
    return fetch(origin + path, { method, headers, signal, ...(json && { body: JSON.stringify(json) }) })
      .then(readToEnd)
      .catch(() => 'none');
  });
  return tally(await Promise.all(answers));
}

/** Reads the body without keeping it. */
async function readToEnd({ status, body }: Response): Promise<number> {
  for await (const _ of body ?? []);
  return status;
}

/** Requests whose answers must match, in order. @returns what each was answered that does not */
async function expectAnswers(
  steps: readonly (readonly [what: string, expected: RegExp, ask: () => Promise<Answer>])[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const [what, expected, send] of steps) {
    const answer = codeOf(await send());
    faults.push(...failing({ [`${what}: ${answer}`]: expected.test(answer) }));
  }
  return faults;
}

const run = promisify(execFile);

async function fillDisk({ origin, dataDir }: StartedServer): Promise<Measured> {
  const signUp = () => askIdentity(origin, 'signUp', somebodyElse());
  const [ann, bob, eve] = [(await signUp()).body, (await signUp()).body, (await signUp()).body];
  const sound = fallingNotes(8);
  const predict = (token: string) => askPrediction(origin, { token, ...sound, fields: { keepAudio: 'nothing' } });
  let id = '';
  for (let n = 0; n < 24; n += 1) for (const { idToken } of [ann, bob]) id = (await predict(idToken)).body.id;
  const listed = async ({ idToken: token }: { idToken: string }): Promise<number> =>
    (await ask(origin, 'GET', '/v1/predictions?limit=100', { token })).body.predictions.length;
  const as = (token: string) => (method: string, path: string) => () => ask(origin, method, path, { token });
  const [asBob, asNobody] = [as(bob.idToken), as('')];
  const filler = join(dataDir, 'filler');
  // It ends with an error, when no byte is left.
  await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k']).catch(() => {});
  // Sign-ups first use up the space that the write-ahead log already has.
  for (let signUps = 0; signUps < 300 && (await signUp()).status === 200; ) signUps += 1;
  const faults = await expectAnswers([
    ['sign-up', /^507 /, signUp],
    ['prediction', /^507 /, () => predict(ann.idToken)],
    ['GET /healthz', /^200$/, asNobody('GET', '/healthz')],
    ['GET /readyz', /^503 NOT_READY$/, asNobody('GET', '/readyz')],
    ['GET a prediction', /^200$/, asBob('GET', `/v1/predictions/${id}`)],
    ['sign-in', /^(200|507 .*)$/, () => signIn(origin, eve.email)],
    ['DELETE a prediction', /^200$/, asBob('DELETE', `/v1/predictions/${id}`)],
  ]);
  faults.push(...failing({ 'the deleted prediction is not listed': (await listed(bob)) === 23 }));
  faults.push(
    ...(await expectAnswers([
      ['DELETE all predictions', /^200$/, asBob('DELETE', '/v1/predictions')],
      ['sign out everywhere', /^200$/, asBob('DELETE', '/v1/account/sessions')],
      ['delete an account', /^200$/, () => askIdentity(origin, 'delete', { idToken: eve.idToken })],
      // The deletions have freed some space.
      ['sign-up after deleting', /^(200|507 .*)$/, signUp],
      ['sign-in of the deleted account', /^400 /, () => signIn(origin, eve.email)],
    ])),
    ...failing({ 'another account has all predictions': (await listed(ann)) === 24 }),
  );
  await rm(filler);
  faults.push(
    ...(await expectAnswers([
      ['sign-up with room', /^200$/, signUp],
      ['prediction with room', /^200$/, () => predict(ann.idToken)],
      ['GET /readyz with room', /^200$/, asNobody('GET', '/readyz')],
    ])),
  );
  return { figure: 'fifteen requests on the full disk and after it', faults };
}

/** A mail server in its own thread, so that receiving mail does not delay what is measured; posts its port. */
const MAIL_SERVER = `import(require('node:worker_threads').workerData).then(async ({ startSmtpServer }) =>
  require('node:worker_threads').parentPort.postMessage((await startSmtpServer()).port))`;

/** The probability that one of `these` is larger than one of `those`; 0.5 if they cannot be told apart. */
function areaUnderCurve(these: readonly number[], those: readonly number[]): number {
  let wins = 0;
  for (const one of these) for (const other of those) wins += one > other ? 1 : one === other ? 0.5 : 0;
  return wins / (these.length * those.length);
}
