import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { badRecordings, hostileRecordings, makeCutRecordings } from '@chiffchaff/analysis/testing';
import { problemBodySchema, problems } from '@chiffchaff/contract';
import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { badForms } from './testing/bad-forms.ts';
import { FORM_TYPE, file, form } from './testing/multipart.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

/**
 * Sends all known kinds of bad input to a whole server in its own process, with the real model and the real ffmpeg: each gets its
 * documented status and sentence within seconds, leaves no file, and gives its memory back.
 */

interface Case {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: () => Buffer;
  /** `status code` of each correct answer. */
  readonly expected: readonly string[];
}

const expectedOf = (code: string): string => {
  if (code === 'answered') return '200';
  return `${problems[code as keyof typeof problems].status} ${code}`;
};
const fromRecording = (what: string, fileName: string, bytes: () => Uint8Array, codes: readonly string[]): Case => ({
  what,
  headers: { 'content-type': FORM_TYPE },
  body: () => form([file(Buffer.from(bytes()), fileName)]),
  expected: codes.map(expectedOf),
});

const cases: readonly Case[] = [
  ...badRecordings.map(({ what, fileName, bytes, code }) => fromRecording(what, fileName, bytes, [code])),
  ...[...makeCutRecordings(), ...hostileRecordings].map(({ what, fileName, bytes, codes }) =>
    fromRecording(what, fileName, bytes, codes),
  ),
  ...badForms.map(({ what, headers = {}, body, status, code }) => ({
    ...{ what, headers, body },
    expected: [code === null ? String(status) : `${status} ${code}`],
  })),
];

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** As long as anybody waits, even on a busy machine. */
const ANSWER_WITHIN_MS = 30_000;
const AT_ONCE = 4;
/** Limit of growth in resident memory. Allocators do not give back every page; a leak in each request would be far larger. */
const RESIDENT_GROWTH_BYTES = 128 * 1024 * 1024;
/** Limit of growth in held memory. Many cases have 100 kB and more, so a leak in each would exceed it. */
const HELD_GROWTH_BYTES = 8 * 1024 * 1024;

let dataDir: string;
let server: ChildProcess;
let origin: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-bad-input-'));
  await symlink(join(root, 'data/models'), join(dataDir, 'models'));
  server = fork(join(root, 'apps/server/src/main.ts'), {
    execArgv: ['--import', new URL('./testing/report-memory.ts', import.meta.url).href],
    env: {
      ...{ PATH, NODE_COMPILE_CACHE, PORT: '0', DATA_DIR: dataDir, OPEN_PREDICTION: 'true', LOG_LEVEL: 'error' },
      ...{ INFERENCE_WORKERS: '2', MAX_RECORDING_SECONDS: '60' },
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const listening = Promise.withResolvers<string>();
  server.stdout?.on('data', (line) => {
    const url = /listening on (\S+)/.exec(String(line))?.[1];
    if (url !== undefined) listening.resolve(url);
  });
  server.once('exit', () => listening.reject(new Error('The server ended before it listened')));
  origin = await listening.promise;
}, 120_000);

afterAll(async () => {
  server.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** The server's memory after garbage collection: what it holds, and what it has taken from the system. */
async function readMemory(): Promise<{ held: number; resident: number }> {
  const told = once(server, 'message');
  server.send('memory');
  const [{ rss, heapUsed, external }] = await told;
  return { held: heapUsed + external, resident: rss };
}
const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

/** Sends a body that may be cut short by its answer. @returns status and code, and the time in milliseconds */
async function send({ headers, body }: Case): Promise<{ answer: string; ms: number }> {
  // biome-ignore lint/plugin: measures; to become a row of a benchmark
  const begun = performance.now();
  const answered = Promise.withResolvers<{ status: number; text: string }>();
  const outgoing = request(`${origin}/get_prediction`, { method: 'POST', headers, agent: false }, (incoming) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (piece) => {
      text += piece;
    });
    incoming.once('end', () => answered.resolve({ status: incoming.statusCode ?? 0, text }));
    incoming.once('error', answered.reject);
  });
  outgoing.once('error', answered.reject);
  outgoing.setTimeout(ANSWER_WITHIN_MS, () => answered.reject(new Error('no answer')));
  const bytes = body();
  if (headers['content-length'] === undefined) outgoing.setHeader('content-length', bytes.length);
  outgoing.end(bytes);
  const { status, text } = await answered.promise.finally(() => outgoing.destroy());
  // biome-ignore lint/plugin: measures; to become a row of a benchmark
  const ms = performance.now() - begun;
  if (status === 200) return { answer: '200', ms };
  const { code, detail, status: stated } = problemBodySchema.parse(JSON.parse(text));
  expect(detail).toMatch(/^[A-Z].*\.$/s);
  expect(detail).not.toMatch(/undefined|null|NaN|ffmpeg|\/dev\/|0x|\/tmp/);
  expect(stated).toBe(status);
  return { answer: `${status} ${code}`, ms };
}

async function sendAll(some: readonly Case[]): Promise<{ wrong: string[]; slowestMs: number }> {
  const limit = pLimit(AT_ONCE);
  let slowestMs = 0;
  const outcomes = await Promise.all(
    some.map((one) =>
      limit(async () => {
        const { answer, ms } = await send(one).catch((error: unknown) => ({ answer: String(error), ms: 0 }));
        slowestMs = Math.max(slowestMs, ms);
        return one.expected.includes(answer) ? [] : [`${one.what}: ${answer} instead of ${one.expected.join(' or ')}`];
      }),
    ),
  );
  return { wrong: outcomes.flat(), slowestMs };
}

async function filesLeft(): Promise<string[]> {
  const folders = ['uploads', 'scratch', 'audio'];
  const left = await Promise.all(
    folders.map((name) => readdir(join(dataDir, name), { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  return left.flat().flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

it('The list of bad inputs for the server has at least 150 inputs, each with a unique name', () => {
  expect(cases.length).toBeGreaterThanOrEqual(150);
  expect(new Set(cases.map(({ what }) => what)).size).toBe(cases.length);
});

it('A server answers each of the listed bad inputs as documented, keeps no file of it, and frees its memory', {
  timeout: 300_000,
}, async () => {
  // Warms up with every third case, so that everything that is allocated once (threads, buffers, compiled code) exists.
  await sendAll(cases.filter((_, index) => index % 3 === 0));
  const before = await readMemory();
  // biome-ignore lint/plugin: measures; to become a row of a benchmark
  const begun = performance.now();
  const { wrong, slowestMs } = await sendAll(cases);
  // biome-ignore lint/plugin: measures; to become a row of a benchmark
  const seconds = (performance.now() - begun) / 1000;
  const after = await readMemory();
  const held = after.held - before.held;
  const resident = after.resident - before.resident;
  const told = `${cases.length} cases in ${seconds.toFixed(1)} s, the slowest ${Math.round(slowestMs)} ms; memory ${megabytes(before.resident)} MB resident, then ${megabytes(resident)} MB more; ${megabytes(before.held)} MB held, then ${megabytes(held)} MB more`;
  process.stdout.write(`Bad input: ${told}\n`);
  expect(wrong).toEqual([]);
  expect(slowestMs).toBeLessThan(ANSWER_WITHIN_MS);
  expect(held).toBeLessThan(HELD_GROWTH_BYTES);
  expect(resident).toBeLessThan(RESIDENT_GROWTH_BYTES);
  expect(await filesLeft()).toEqual([]);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
});
