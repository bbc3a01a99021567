import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Candidate } from '@chiffchaff/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from './testing/signed-in.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';
import { wav } from './testing/wav.ts';

/** Runs the examples of docs/http-api.md unchanged against a whole server. */

const examples = fileURLToPath(new URL('../../../docs/examples', import.meta.url));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { PATH: process.env.PATH, ...env } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code) || 1, out, err }),
    );
  });
}

const candidates: readonly { program: string; file: string; probe: readonly string[]; isJson: boolean }[] = [
  { program: 'sh', file: 'identify.sh', probe: ['-c', 'curl --fail-with-body --version'], isJson: true },
  { program: 'python3', file: 'identify.py', probe: ['--version'], isJson: false },
  { program: 'Rscript', file: 'identify.R', probe: ['-e', 'library(httr2)'], isJson: false },
];
const probed = await Promise.all(candidates.map(async (each) => ({ ...each, found: await run(each.program, each.probe) })));
/** Those whose program is installed; the server needs none of these programs. */
const installed = probed.filter(({ found }) => found.code === 0);

const candidate = (rank: number, scientificName: string, commonName: string): Candidate => ({
  ...{ rank, scientificName, commonName, score: 0.9, confidence: 0.8, occurrence: null, unusualHere: false },
  confidenceWord: 'likely',
  best: { startSeconds: 0, endSeconds: 3 },
});

describe('The example programs for the API', () => {
  let server: TestServer;
  let folder: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
    server.analyzer.answerWith({
      candidates: [candidate(1, 'Phylloscopus collybita', 'Common Chiffchaff'), candidate(2, 'Parus major', 'Great Tit')],
    });
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-examples-'));
    await writeFile(join(folder, 'morning.wav'), wav(3));
    const origin = await server.listen();
    const person = await signUp(server, 'ada@example.org');
    const { body } = await person.send('POST', '/v1/account/tokens', { name: 'example', scopes: ['predict'] });
    environment = { CHIFFCHAFF_URL: origin, CHIFFCHAFF_TOKEN: (body as { secret: string }).secret };
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('include one in Python, which the tests can run', () => {
    expect(installed.map(({ program }) => program)).toContain('python3');
  });

  it.each(installed)('$file prints the birds of a recording', async ({ program, file, isJson }) => {
    const { code, out, err } = await run(program, [join(examples, file), join(folder, 'morning.wav')], environment);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const names = isJson ? namesIn(JSON.parse(out)) : firstCells(out);
    expect(server.analyzer.requests.at(-1)).toMatchObject({ latitude: 50.8, longitude: 12.9, date: '2026-05-01' });
    expect(names).toEqual(['Phylloscopus collybita', 'Parus major']);
  });

  it.each(installed)('$file says why nothing was identified', async ({ program, file }) => {
    const wrong = { ...environment, CHIFFCHAFF_TOKEN: 'cct_wrong' };
    const { code, out, err } = await run(program, [join(examples, file), join(folder, 'morning.wav')], wrong);
    expect(code).not.toBe(0);
    expect(out + err).toMatch(/token/i);
  });
});

const namesIn = ({ candidates }: { candidates: { scientificName: string }[] }): string[] =>
  candidates.map(({ scientificName }) => scientificName);
const firstCells = (out: string): string[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
