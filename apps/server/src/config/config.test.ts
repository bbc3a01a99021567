import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { rows } from './variables.ts';

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
  return [];
}

describe('Reading the configuration from environment variables', () => {
  it('has a default for every variable', () => {
    const { config } = readConfig({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: join(import.meta.dirname, '../../../../data'),
      modelId: 'birdnet-v2.4',
      maxUploadBytes: 2 ** 31,
      maxRecordingSeconds: 10_800,
      trustProxy: false,
      production: false,
    });
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', HOST: ' ', INFERENCE_QUEUE: '' })).toEqual(readConfig({}));
  });

  it.each(['invite', 'closed'])('refuses SIGN_UP=%s if another service keeps the accounts', (signUp) => {
    const elsewhere = { IDENTITY_MODE: 'firebase', IDENTITY_API_KEY: 'a-key', SIGN_UP: signUp };
    expect(() => readConfig(elsewhere)).toThrow('SIGN_UP must be open when IDENTITY_MODE is firebase');
    expect(faultsOf({ ...elsewhere, SIGN_UP: 'open' })).toEqual([]);
  });

  it('reports every fault at once, with name, rule and example, but not the value', () => {
    const environment = { PORT: 'eighty', MAX_UPLOAD_BYTES: '-1', PUBLIC_URL: 'birds.example.org/secret', LOG_LEVEL: 'loud' };
    expect(faultsOf(environment)).toEqual(['PUBLIC_URL', 'PORT', 'MAX_UPLOAD_BYTES', 'LOG_LEVEL'].sort(byTable));
    expect(() => readConfig(environment)).toThrow('PORT must be a whole number from 0 to 65535, for example 8080.');
    expect(() => readConfig(environment)).not.toThrow('eighty');
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '1e3'],
    ['HOST', 'http://localhost'],
    ['PUBLIC_URL', 'https://birds.example.org/'],
    ['API_ORIGIN', 'ftp://birds.example.org'],
    ['ALLOWED_ORIGINS', 'https://a.example,*'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', 'yes'],
    ['INFERENCE_WORKERS', '0'],
    ['OPEN_PREDICTION', '1'],
    ['MODEL_ID', '../model'],
    ['NODE_ENV', 'prod'],
    ['DATABASE_URL', 'mysql://db.example.org/birds'],
    ['ROLE', 'both'],
    ['SIGN_UP', 'true'],
  ])('refuses %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([name]);
  });

  it('accepts every documented example, and refuses only that of a settings file, which does not exist', () => {
    expect(faultsOf(Object.fromEntries(rows.map(({ name, example }) => [name, example])))).toEqual(['SETTINGS_FILE']);
  });

  it.each([
    ['s3://birds', { bucket: 'birds', prefix: '' }],
    ['s3://birds/', { bucket: 'birds', prefix: '' }],
    ['s3://birds.example/chiff/chaff/', { bucket: 'birds.example', prefix: 'chiff/chaff' }],
  ])('reads STORAGE_URL=%s', (value, expected) => {
    expect(readConfig({ DATABASE_URL: 'postgres://db/birds', STORAGE_URL: value }).config.storageUrl).toEqual(expected);
  });

  it.each(['s3://', 's3://B', 'birds', 's3://birds//x', 'https://s3.example/birds', 's3://birds/../x'])(
    'refuses STORAGE_URL=%s',
    (value) => {
      expect(faultsOf({ DATABASE_URL: 'postgres://db/birds', STORAGE_URL: value })).toEqual(['STORAGE_URL']);
    },
  );

  it('by default lets pages of local development servers call the API, except in production', () => {
    expect(readConfig({}).config.allowedOrigins).toContain('http://localhost:5173');
    expect(readConfig({ NODE_ENV: 'production' }).config.allowedOrigins).toEqual([]);
    expect(readConfig({ ALLOWED_ORIGINS: 'https://a.example, https://b.example' }).config.allowedOrigins).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
  });

  it.each([
    ['true', true],
    ['2', 2],
    ['127.0.0.1, fd00::/8', ['127.0.0.1', 'fd00::/8']],
  ])('reads TRUST_PROXY=%s', (value, expected) => {
    expect(readConfig({ TRUST_PROXY: value }).config.trustProxy).toEqual(expected);
  });

  it.each([
    [{ NODE_ENV: 'production', DEV_MAILBOX: 'true' }, 'DEV_MAILBOX must be false in production'],
    [
      { NODE_ENV: 'production', IDENTITY_MODE: 'emulator', IDENTITY_BASE_URL: 'http://127.0.0.1:9099/x' },
      'IDENTITY_MODE must be embedded or firebase',
    ],
    [{ IDENTITY_MODE: 'firebase' }, 'IDENTITY_API_KEY must be set'],
    [{ IDENTITY_MODE: 'emulator' }, 'IDENTITY_BASE_URL must be set'],
    [{ ROLE: 'web', STORAGE_URL: 's3://birds' }, 'DATABASE_URL must be set when ROLE is web'],
    [{ ROLE: 'worker', DATABASE_URL: 'postgres://db/birds' }, 'STORAGE_URL must be set when ROLE is worker'],
    [{ STORAGE_URL: 's3://birds' }, 'DATABASE_URL must be set when STORAGE_URL is set'],
    [
      { DATABASE_URL: 'postgres://db/birds', STORAGE_URL: 's3://birds', MAX_UPLOAD_BYTES: '5368709121' },
      'MAX_UPLOAD_BYTES must be at most 5368709120 when STORAGE_URL is set',
    ],
    [{ S3_ENDPOINT: 'http://127.0.0.1:9000' }, 'STORAGE_URL must be set when S3_ENDPOINT is set'],
    [{ AWS_ACCESS_KEY_ID: 'birds' }, 'AWS_SECRET_ACCESS_KEY must be set'],
    [{ AWS_SECRET_ACCESS_KEY: 'hush' }, 'AWS_ACCESS_KEY_ID must be set'],
  ])('refuses variables that contradict each other: %j', (environment, sentence) => {
    expect(() => readConfig(environment)).toThrow(sentence);
  });

  it.each([
    [{ NODE_ENV: 'production', DEV_MAILBOX: 'true' }, 'DEV_MAILBOX must be false in production.'],
    [
      { IDENTITY_MODE: 'firebase', IDENTITY_API_KEY: 'a-key', SIGN_UP: 'closed' },
      'SIGN_UP must be open when IDENTITY_MODE is firebase: who can create an account is decided there.',
    ],
  ])('adds no example to an error message that already says what to write: %j', (environment, sentence) => {
    expect(() => readConfig(environment)).toThrow(`\n  ${sentence}`);
  });

  it('returns secrets separately, and omits them from error messages', () => {
    const { config, secrets } = readConfig({
      DATABASE_URL: 'postgres://user:hush@db.example/birds',
      AWS_ACCESS_KEY_ID: 'hush',
      AWS_SECRET_ACCESS_KEY: 'hush',
      AWS_SESSION_TOKEN: 'hush',
      SMTP_URL: 'smtp://user:hush@mail.example',
      IDENTITY_ADMIN_SECRET: 'x'.repeat(24),
    });
    expect(JSON.stringify(config)).not.toContain('hush');
    expect(secrets).toEqual({
      databaseUrl: 'postgres://user:hush@db.example/birds',
      awsAccessKeyId: 'hush',
      awsSecretAccessKey: 'hush',
      awsSessionToken: 'hush',
      smtpUrl: 'smtp://user:hush@mail.example',
      identityAdminSecret: 'x'.repeat(24),
      metricsToken: null,
    });
    expect(() => readConfig({ SMTP_URL: 'hush', DATABASE_URL: 'hush' })).not.toThrow('hush');
  });

  it('returns objects that cannot be modified', () => {
    const { config, secrets } = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(secrets)).toBe(true);
  });
});

const order = rows.map(({ name }) => name);
const byTable = (a: string, b: string): number => order.indexOf(a) - order.indexOf(b);
