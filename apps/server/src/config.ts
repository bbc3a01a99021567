import { type Variable, variables } from './config-variables.ts';

/** Where a local copy of the page is served from while it is developed. */
const developmentOrigins = ['http://localhost:5173', 'http://127.0.0.1:5173', 'http://localhost:3000'];

/** One variable that cannot be understood. */
export interface ConfigFault {
  readonly name: string;
  readonly rule: string;
  readonly example: string;
}

/** Every fault of the configuration at once, as sentences that an operator can act on. Values are not repeated. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map(({ name, rule, example }) => `  ${name} must be ${rule}, for example ${example}.`);
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}. These variables are read from the environment:\n${lines.join('\n')}`,
    );
    this.faults = faults;
  }
}

type Values = { readonly [Key in keyof typeof variables]: (typeof variables)[Key]['fallback'] };

/** What the server is told by its environment; times in seconds, sizes in bytes. */
export interface Config extends Omit<Values, 'allowedOrigins' | 'nodeEnv'> {
  readonly allowedOrigins: readonly string[];
  readonly production: boolean;
  /** `PATH`, where programs are looked for. */
  readonly searchPath: string;
}

/** What only the server may know. Nothing needs a secret yet. */
export type Secrets = Readonly<Record<never, never>>;

/**
 * Reads the environment, purely. An empty variable counts as unset; a fresh clone runs with none set.
 *
 * @throws ConfigError that names every variable that cannot be understood
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): { config: Config; secrets: Secrets } {
  const faults: ConfigFault[] = [];

  function take<Value>({ name, schema, fallback, rule, example }: Variable<Value>): Value {
    const found = environment[name]?.trim();
    if (found === undefined || found === '') return fallback;
    const read = schema.safeParse(found);
    if (read.success) return read.data;
    faults.push({ name, rule, example });
    return fallback;
  }

  const production = take(variables.nodeEnv) === 'production';
  const config: Config = {
    host: take(variables.host),
    port: take(variables.port),
    publicUrl: take(variables.publicUrl),
    apiOrigin: take(variables.apiOrigin),
    dataDir: take(variables.dataDir),
    modelId: take(variables.modelId),
    modelFile: take(variables.modelFile),
    ffmpegPath: take(variables.ffmpegPath),
    inferenceWorkers: take(variables.inferenceWorkers),
    inferenceQueue: take(variables.inferenceQueue),
    maxUploadBytes: take(variables.maxUploadBytes),
    maxRecordingSeconds: take(variables.maxRecordingSeconds),
    allowedOrigins: Object.freeze(take(variables.allowedOrigins) ?? (production ? [] : developmentOrigins)),
    trustProxy: take(variables.trustProxy),
    openPrediction: take(variables.openPrediction),
    logLevel: take(variables.logLevel),
    production,
    searchPath: environment.PATH ?? '',
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return { config: Object.freeze(config), secrets: Object.freeze({}) };
}
