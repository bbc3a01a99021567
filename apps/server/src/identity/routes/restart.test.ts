import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, startIdentityServer } from '../testing/identity-server.ts';

const script = fileURLToPath(new URL('../testing/serve-until-killed.ts', import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-restart-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function serve(): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, origin: String(line).trim() };
}

const password = 'correct horse';
const points = 500;
const atOnce = 8;

/** Signs up accounts over several concurrent clients, kills the process half-way, and returns the acknowledged sign-ups. */
async function signUpUntilKilled(round: number, killAfter: number): Promise<{ acknowledged: string[]; refreshToken: string }> {
  const { child, origin } = await serve();
  const acknowledged: string[] = [];
  let next = 0;
  let refreshToken = '';
  async function line(): Promise<void> {
    while (next < points) {
      const email = `birder-${round}-${next++}@example.org`;
      const answer = await post(origin, '/v1/accounts:signUp', { email, password });
      if (answer.status !== 200) throw new Error(answer.text);
      refreshToken = answer.body.refreshToken;
      if (acknowledged.push(email) === killAfter) child.kill('SIGKILL');
    }
  }
  const lines = await Promise.allSettled(Array.from({ length: atOnce }, line));
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  expect(lines.map(({ status }) => status)).toContain('rejected');
  return { acknowledged, refreshToken };
}

it('Every acknowledged account, session and key survives a kill of the process during 500 sign-ups', async () => {
  const rounds = [await signUpUntilKilled(1, 190), await signUpUntilKilled(2, 310)];
  const again = await startIdentityServer({ folder });
  expect(rounds.map(({ acknowledged }) => acknowledged.length >= 190)).toEqual([true, true]);
  for (const { acknowledged, refreshToken } of rounds) {
    for (const email of acknowledged) {
      const { status } = await again.post('/v1/accounts:signInWithPassword', { email, password });
      expect(status, email).toBe(200);
    }
    const renewed = await again.post('/v1/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
    expect(renewed.status).toBe(200);
    expect((await again.post('/v1/accounts:lookup', { idToken: renewed.body.id_token })).status).toBe(200);
  }
  await again.close();
});
