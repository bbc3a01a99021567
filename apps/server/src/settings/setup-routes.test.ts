import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startSmtpServer } from '../identity/testing/smtp-server.ts';
import { exampleTerms } from '../testing/example-terms.ts';
import { signUp } from '../testing/signed-in.ts';
import { openTestDatabase } from '../testing/test-database.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts';
import { createSetupCodes, setupInvitation } from './setup-codes.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function open(options: TestServerOptions = {}) {
  const server = await createTestServer(options);
  servers.push(server);
  let printed = '';
  await server.startPrinting((text) => (printed += text));
  const code = /\n {2}(\S+)\n$/.exec(printed)?.[1] ?? '';
  const ask = (given: string | null, request: object = {}) =>
    server.app.inject({
      url: '/v1/setup',
      headers: { host: 'localhost', ...(given !== null && { 'setup-code': given }) },
      ...request,
    });
  const save = async (given: string, changes: object = {}) => {
    const { settings } = (await ask(given)).json();
    return ask(given, { method: 'PUT', payload: { ...settings, ...changes } });
  };
  return { ...server, server, printed: () => printed, code, ask, save };
}

describe('The set-up code', () => {
  it('has 128 bits, appears on the terminal only, and opens the set-up page until settings are saved', async () => {
    const { server, printed, code, ask, save } = await open();
    expect(printed()).toMatch(/^To set up this server, open http:\/\/127\.0\.0\.1:\d+\/setup within 30 minutes/);
    expect(code.replaceAll('-', '')).toMatch(/^[0-9a-f]{32}$/);
    expect((await ask(null)).json()).toMatchObject({ status: 401, code: 'SETUP_CODE_NEEDED' });
    expect((await ask(code.toUpperCase().replaceAll('-', ' '))).statusCode).toBe(200);
    expect((await save(code, { siteName: 'Birds' })).json()).toMatchObject({ settings: { siteName: 'Birds' } });
    expect((await server.app.inject('/config.json')).json()).toMatchObject({
      terms: { siteName: 'Birds' },
      termsFingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
    expect((await ask(code)).statusCode).toBe(404);
    expect((await server.app.inject({ url: '/setup', headers: { host: 'localhost' } })).statusCode).toBe(404);
    expect(JSON.stringify(server.logged)).not.toContain(code.slice(0, 9));
  });

  it('saves settings once when it is used twice at the same moment', async () => {
    const { code, ask } = await open();
    const { settings } = (await ask(code)).json();
    const answers = await Promise.all([1, 2].map(() => ask(code, { method: 'PUT', payload: settings })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404]);
  });

  it('ends after five wrong attempts, also if these come at once', async () => {
    const { code, ask } = await open();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`${index}`.repeat(32))));
    const left = answers.filter(({ statusCode }) => statusCode === 401).map((answer) => answer.json().detail);
    expect(left.filter((detail: string) => /^This is not the set-up code/.test(detail)).length).toBeGreaterThanOrEqual(5);
    expect((await ask(code)).statusCode).toBe(404);
  });

  it('is accepted from other machines by https only, and through trusted proxies only', async () => {
    const { code, ask, server } = await open();
    expect((await ask(code, { remoteAddress: '203.0.113.5' })).statusCode).toBe(404);
    const handedOn = { host: 'localhost', 'setup-code': code, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.5' };
    expect((await ask(code, { headers: handedOn })).statusCode).toBe(404);
    expect((await ask(code, { headers: { host: 'evil.example', 'setup-code': code } })).statusCode).toBe(404);
    expect((await ask(code)).statusCode).toBe(200);
    await server.close();
    const behind = await open({ environment: { TRUST_PROXY: '1' } });
    expect((await behind.ask(behind.code, { headers: { ...handedOn, 'setup-code': behind.code } })).statusCode).toBe(200);
    const plain = { ...handedOn, 'setup-code': behind.code, 'x-forwarded-proto': 'http' };
    expect((await behind.ask(behind.code, { headers: plain })).statusCode).toBe(404);
  });

  it('is created when the server starts if it is new and has no terms in its settings file, otherwise by command only', async () => {
    const filled = await open({ fixedSettings: exampleTerms });
    expect(filled.printed()).toBe('');
    const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-setup-'));
    const first = await open({ dataDir });
    await signUp(first.server, 'ada@example.org');
    await first.server.close();
    servers.length = 0;
    servers.push(filled.server);
    const again = await open({ dataDir });
    expect(again.printed()).toBe('');
    await again.database.change({}, (query) => query.deleteFrom('setupCodes').execute());
    expect((await again.ask('0')).statusCode).toBe(404);
    const beside = await openTestDatabase(dataDir);
    const text = setupInvitation('http://127.0.0.1:8080', await createSetupCodes(beside).make({ replace: true }));
    const code = /\n {2}(\S+)\n$/.exec(text)?.[1] ?? '';
    expect((await again.ask(code)).statusCode).toBe(200);
    await beside.close();
    await again.server.close();
    servers.splice(servers.indexOf(again.server), 1);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('ends after half an hour', async () => {
    const { database } = await open();
    let now = Date.now();
    const codes = createSetupCodes(database, () => now);
    const code = await codes.make({ replace: true });
    now += 30 * 60_000 - 1;
    expect((await codes.check(code)).isRight).toBe(true);
    now += 1;
    expect(await codes.isOpen()).toBe(false);
    expect((await codes.check(code)).isRight).toBe(false);
  });
});

describe('A test email from the set-up page', () => {
  const send = ({ ask, code }: Awaited<ReturnType<typeof open>>, contactEmail = 'club@example.org') =>
    ask(code, { method: 'POST', url: '/v1/setup/test-email', payload: { contactEmail, language: 'en' } });

  it('is sent to the contact address, at most once a minute, and its failure is explained', async () => {
    const smtp = await startSmtpServer();
    const working = await open({ environment: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
    expect((await send(working)).json()).toEqual({ outcome: 'sent' });
    expect(smtp.conversation.join('')).toContain('RCPT TO:<club@example.org>');
    const second = await send(working);
    expect([second.statusCode, Number(second.headers['retry-after']) > 0]).toEqual([429, true]);
    await smtp.close();
    const away = await open({ environment: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
    expect((await send(away)).json()).toEqual({ outcome: 'unreachable' });
    expect(JSON.stringify(away.logged)).not.toContain('club@example.org');
  });

  it('is sent only to the address in the settings file, and not without a mail server', async () => {
    const server = await open({ fixedSettings: { contactEmail: 'birds@example.org' }, environment: { DEV_MAILBOX: 'true' } });
    expect((await send(server)).statusCode).toBe(400);
    expect((await send(server, 'birds@example.org')).json()).toEqual({ outcome: 'sent' });
    expect((await send(await open())).statusCode).toBe(400);
  });
});
