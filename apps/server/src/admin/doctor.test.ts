import { once } from 'node:events';
import { appendFile, cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ffmpegPath, modelFolderPath } from '@chiffchaff/analysis/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteTime } from '../database/last-times.ts';
import { startSmtpServer } from '../identity/testing/smtp-server.ts';
import { openServerData } from '../testing/server-data.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { doctor } from './doctor.ts';

let server: TestServer;
let smtp: Awaited<ReturnType<typeof startSmtpServer>>;
beforeEach(async () => {
  // The model of a running server may not be another than the doctor's.
  server = await createTestServer({ missing: ['MODEL_NOT_INSTALLED'] });
  smtp = await startSmtpServer();
});
afterEach(async () => {
  await smtp.close();
  await server.close();
});

async function ask(environment: Readonly<Record<string, string>> = {}): Promise<string> {
  await using data = await openServerData(server, { FFMPEG_PATH: ffmpegPath, MIN_FREE_DISK_BYTES: '0', ...environment });
  const { text, isWell } = await doctor(data);
  expect(isWell).toBe(!text.includes('✗'));
  return text;
}

const installModel = () => cp(modelFolderPath, join(server.dataDir, 'models/birdnet-v2.4'), { recursive: true });
const mail = () => ({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, OPERATOR_EMAIL: 'operator@example.org' });

// Only machines with a bucket have the line about it.
describe('`./chiffchaff admin doctor`', () => {
  it('finds nothing wrong with a server that has all it needs, and sends a test email', async () => {
    await installModel();
    await noteTime(server.database, 'backup');
    let ready: object = { status: 'ready', accepts: true, refusals: [] };
    const answering = createServer((_, response) => response.end(JSON.stringify(ready))).listen(0, '127.0.0.1');
    await once(answering, 'listening');
    const PORT = String((answering.address() as AddressInfo).port);
    const text = await ask({ ...mail(), PUBLIC_URL: await server.listen(), PORT });
    const names = text.split('\n').map((line) => line.split(':')[0]);
    expect(names.filter((name) => name !== '✓ bucket')).toEqual([
      '✓ disk space',
      '✓ model',
      '✓ decoder',
      '✓ clock',
      '✓ backup',
      '✓ waiting time',
      '✓ server',
      '✓ mail',
      '✓ public address',
      'All is well.',
    ]);
    expect(smtp.conversation.join('')).toContain('RCPT TO:<operator@example.org>');
    ready = { status: 'ready', accepts: false, refusals: ['the disk is nearly full'] };
    expect(await ask({ PORT })).toContain('✗ server: It refuses recordings: the disk is nearly full.\n');
    answering.close();
  });

  it('says what a running server lacks although its files are all right now, and that none is running', async () => {
    await installModel();
    const PORT = new URL(await server.listen()).port;
    expect(await ask({ PORT })).toMatch(
      /✗ server: This server cannot analyse recordings: the model is not installed\.\n {2}See above/,
    );
    expect(await ask({ PORT: '1' })).toMatch(/✗ server: None answers at http:\/\/127\.0\.0\.1:1\.\n {2}Start it/);
  });

  it('says what to do about a changed model, an unreachable mail server and an untrusted proxy', async () => {
    await installModel();
    await appendFile(join(server.dataDir, 'models/birdnet-v2.4/occurrence.onnx'), 'x');
    const { SMTP_URL, OPERATOR_EMAIL } = mail();
    await smtp.close();
    const text = await ask({ SMTP_URL, OPERATOR_EMAIL, PUBLIC_URL: 'https://birds.example.org' });
    expect(text).toMatch(
      /✗ model: .* have changed since it was installed\..* until it must load it again\. Opening the model: occurrence\.onnx has changed .*\n {2}Run "npm run model -- install"/,
    );
    expect(text).toMatch(/✗ mail: A test email to the operator was not sent\.\n {2}The mail server cannot be reached\./);
    expect(text).toMatch(/✗ public address: .*proxy, whose headers it does not trust\.\n {2}Set TRUST_PROXY/);
  });

  it('says that the model is not installed, and that no address for emails to the operator is set', async () => {
    const text = await ask({ SMTP_URL: mail().SMTP_URL });
    expect(text).toMatch(/✗ model: .*\n {2}Run "npm run model -- install"/);
    expect(text).toMatch(/✗ mail: .*\n {2}Set OPERATOR_EMAIL/);
    expect(text).toMatch(/3 things are wrong\.$/);
  });

  it('says that the database was restored from a backup, without counting that as wrong', async () => {
    await noteTime(server.database, 'restored', Date.UTC(2026, 10, 21, 3));
    expect(await ask()).toMatch(
      /✓ database: .*restored from a backup of 2026-11-21 03:00 UTC: what was deleted, disabled, revoked/,
    );
  });

  it('says that no mail server is set', async () => {
    expect(await ask()).toMatch(/✗ mail: No mail server is set\.\n {2}Set SMTP_URL/);
  });
});
