import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UsageError } from './command-error.ts';

const optional = z.string().optional();
const environmentSchema = z.object({
  DATA_DIR: optional,
  MODEL_ID: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]*$/, 'MODEL_ID must be the name of a model folder, such as birdnet-v2.4')
    .default('birdnet-v2.4'),
  MODEL_FILE: optional,
  FFMPEG_PATH: optional,
  INFERENCE_WORKERS: z
    .string()
    .regex(/^([1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-6])$/, 'INFERENCE_WORKERS must be a whole number from 1 to 256, such as 4')
    .transform(Number)
    .optional(),
  INIT_CWD: optional,
  PATH: z.string().default(''),
});

export interface Config {
  /** absolute; holds `models/` */
  readonly dataDir: string;
  readonly modelId: string;
  /** a wheel, zip or folder to read the model from instead of downloading it */
  readonly modelFile: string | null;
  readonly ffmpegPath: string | null;
  /** folders to search for programs, in the platform's notation */
  readonly searchPath: string;
  readonly workers: number;
  /**
   * The folder that the user is in, which path arguments are relative to. npm changes the working directory and passes on the original one.
   */
  readonly startFolder: string;
  readonly repositoryFolder: string;
  /** As given, for child processes. */
  readonly environment: NodeJS.ProcessEnv;
}

const repositoryFolder = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/**
 * The only reader of the environment. Empty means unset; relative paths start at the project folder, as in the server.
 * @throws UsageError that names every fault
 */
export function readConfig(env: NodeJS.ProcessEnv, workingFolder: string): Config {
  const read = environmentSchema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (!read.success) throw new UsageError(`${read.error.issues.map(({ message }) => message).join('; ')}.`);
  const { data } = read;
  const resolved = (given: string | undefined) => (given === undefined ? null : resolve(repositoryFolder, given));
  return Object.freeze({
    dataDir: resolved(data.DATA_DIR) ?? join(repositoryFolder, 'data'),
    modelId: data.MODEL_ID,
    modelFile: resolved(data.MODEL_FILE),
    ffmpegPath: resolved(data.FFMPEG_PATH),
    searchPath: data.PATH,
    workers: data.INFERENCE_WORKERS ?? availableParallelism(),
    startFolder: data.INIT_CWD ?? workingFolder,
    repositoryFolder,
    environment: env,
  });
}
