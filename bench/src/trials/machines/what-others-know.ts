import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FORM_TYPE, file, form } from '@chiffchaff/server/testing/multipart';
import { openRawClient } from '@chiffchaff/server/testing/raw-client';
import { ask, askIdentity, codeOf } from '../../harness/api.ts';
import { round } from '../../harness/measures.ts';
import { password } from '../../harness/people.ts';
import type { Cluster } from './cluster.ts';
import { followEvents } from './follow-events.ts';
import type { Person } from './people.ts';

const run = promisify(execFile);
const rotateSigningKey = fileURLToPath(
  new URL('../../../../apps/server/src/identity/tokens/rotate-signing-key.ts', import.meta.url),
);
const publicKeys = '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com';
const json = { 'content-type': 'application/json' };

export type Step = { readonly step: string; readonly ms: number };

/**
 * Acts at one web machine, and measures after how many milliseconds the others know of it.
 *
 * @param cluster a new one, with three web machines that trust this one as a proxy
 * @throws Error when one of them never learns of it
 */
export async function timeWhatOthersKnow(cluster: Cluster, person: Person): Promise<readonly Step[]> {
  const [first = '', second = '', third = ''] = cluster.webs.map(({ origin }) => origin);
  return [...(await timeArrival()), await timeSetting(), await timeSigningKey()];

  /** A recording that has partly arrived: found elsewhere, followed elsewhere until its session ends, cancelled elsewhere. */
  async function timeArrival(): Promise<readonly Step[]> {
    const { token } = person;
    const key = 'arriving';
    const path = `/v1/predictions/${key}`;
    const session = await askIdentity(first, 'signInWithPassword', { email: person.email, password, returnSecureToken: true });
    const sender = await openRawClient(first);
    const begunAt = performance.now();
    sender.write(
      `POST /get_prediction HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nIdempotency-Key: ${key}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 100000\r\n\r\n`,
    );
    sender.write(form([file('x'.repeat(1000))], { end: false }));
    await until('the upload is found', async () => (await ask(second, 'GET', path, { token })).status === 200);
    const found = since('an upload to the first, found at the second', begunAt);

    const followed = Promise.withResolvers<void>();
    const asked = { token: session.body.idToken, key, signal: AbortSignal.timeout(60_000) };
    const stream = followEvents(third, asked, () => followed.resolve());
    await Promise.race([followed.promise, stream.then((known) => fail(`The third machine ended the events (known: ${known})`))]);
    const signedOutAt = performance.now();
    const signedOut = await ask(first, 'DELETE', '/v1/account/sessions/current', { token: session.body.idToken });
    if (signedOut.status !== 200) fail(`Signing out was answered ${codeOf(signedOut)}`);
    await stream.catch(() => {}); // a stream may be cut off instead of ending
    const ended = since('a sign-out at the first, known at the third', signedOutAt);

    const cancelledAt = performance.now();
    const cancelled = await ask(second, 'DELETE', path, { token });
    if (cancelled.status !== 200) fail(`Cancelling was answered ${codeOf(cancelled)}`);
    await sender.until('PREDICTION_CANCELLED');
    const told = since('an upload to the first, cancelled at the second', cancelledAt);
    sender.cut();
    return [found, ended, told];
  }

  async function timeSetting(): Promise<Step> {
    const code =
      /enter the code\n +(\S+)/.exec(cluster.webs[0]?.written() ?? '')?.[1] ?? fail('The first machine made no set-up code');
    const headers = { ...json, 'setup-code': code, 'x-forwarded-proto': 'https' };
    const { body, ...present } = await ask(first, 'GET', '/v1/setup', { headers });
    if (present.status !== 200) fail(`The settings were answered ${codeOf({ body, ...present })}`);
    const siteName = 'Birds of three machines';
    const changed = { ...body.settings, terms: { ...body.settings.terms, siteName } };
    const savedAt = performance.now();
    const saved = await ask(first, 'PUT', '/v1/setup', { headers, body: JSON.stringify(changed) });
    if (saved.status !== 200) fail(`Saving the settings was answered ${codeOf(saved)}`);
    await everywhere(
      'the setting',
      async (origin) => (await ask(origin, 'GET', '/config.json')).body.terms.siteName === siteName,
    );
    return since('a setting saved at the first, in use everywhere', savedAt);
  }

  /** Measures from the end of the command, some milliseconds after the key was stored. */
  async function timeSigningKey(): Promise<Step> {
    const keysAt = async (origin: string): Promise<number> => (await ask(origin, 'GET', publicKeys)).body.keys.length;
    const before = await keysAt(first);
    await run(process.execPath, [rotateSigningKey], {
      env: { PATH: process.env.PATH, ...cluster.storage.environment, DATABASE_URL: cluster.postgres.url },
    });
    const addedAt = performance.now();
    await everywhere('the signing key', async (origin) => (await keysAt(origin)) > before);
    return since('a signing key added, published everywhere', addedAt);
  }

  async function everywhere(what: string, isKnownAt: (origin: string) => Promise<boolean>): Promise<void> {
    await Promise.all([first, second, third].map((origin) => until(`${what} is known at ${origin}`, () => isKnownAt(origin))));
  }
}

const since = (step: string, beganAt: number): Step => ({ step, ms: round(performance.now() - beganAt) });

function fail(message: string): never {
  throw new Error(message);
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > end) fail(`After 30 s it is not so that ${what}`);
    await delay(10);
  }
}
