import type { WrittenSettings } from '@chiffchaff/contract';
import { readSettingsFile } from '../settings/settings-file.ts';
import type { ConfigFault, Variable } from './variable.ts';
import { variables } from './variables.ts';

/** Origins that serve a local copy of the page during development. */
const DEVELOPMENT_ORIGINS = ['http://localhost:5173', 'http://127.0.0.1:5173', 'http://localhost:3000'];

/** Exit status for an invalid configuration. */
export const EXIT_CONFIGURATION = 2;

/** All faults of the configuration, as sentences that an operator can act on. Contains no values but the path of the settings file. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map(
      ({ name, rule, example }) => `  ${name} must be ${rule}${example === null ? '' : `, for example ${example}`}.`,
    );
    super(`The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${lines.join('\n')}`);
    this.faults = faults;
  }
}

type All = { readonly [Key in keyof typeof variables]: (typeof variables)[Key]['fallback'] };

const SECRETS = [
  'databaseUrl',
  'awsAccessKeyId',
  'awsSecretAccessKey',
  'awsSessionToken',
  'smtpUrl',
  'identityAdminSecret',
  'metricsToken',
] as const satisfies readonly (keyof All)[];

/** Values that only the server may know. */
export type Secrets = Pick<All, (typeof SECRETS)[number]>;

/** The configuration from the environment; times in seconds unless the name has another unit, sizes in bytes. */
export interface Config extends Omit<All, 'allowedOrigins' | 'nodeEnv' | 'settingsFile' | keyof Secrets> {
  /** The settings in the settings file, which nothing else can change. */
  readonly fixedSettings: Partial<WrittenSettings>;
  readonly allowedOrigins: readonly string[];
  readonly production: boolean;
  /** `PATH`, for finding programs. */
  readonly searchPath: string;
}

/**
 * Parses the environment, and the settings file that it names. An empty variable counts as unset; a fresh clone runs with none set.
 *
 * @throws ConfigError that names every invalid variable and setting
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): { config: Config; secrets: Secrets } {
  const faults: ConfigFault[] = [];

  function take({ name, schema, fallback, rule, example }: Variable<unknown>): unknown {
    const found = environment[name]?.trim();
    if (found === undefined || found === '') return fallback;
    const read = schema.safeParse(found);
    if (read.success) return read.data;
    faults.push({ name, rule, example });
    return fallback;
  }

  const isSecret = ([key]: readonly [string, unknown]) => SECRETS.some((secret) => secret === key);
  const values = Object.entries(variables).map(([key, row]) => [key, take(row)] as const);
  const secrets = Object.fromEntries(values.filter(isSecret)) as Secrets;
  const open = Object.fromEntries(values.filter((value) => !isSecret(value))) as Omit<All, keyof Secrets>;
  const { nodeEnv, settingsFile, ...told } = open;
  const production = nodeEnv === 'production';
  const fixed = settingsFile === null ? { settings: {}, faults: [] } : readSettingsFile(settingsFile);
  const config: Config = {
    ...told,
    allowedOrigins: told.allowedOrigins ?? (production ? [] : DEVELOPMENT_ORIGINS),
    fixedSettings: fixed.settings,
    production,
    searchPath: environment.PATH ?? '',
  };
  const further = [...contradictions(config, secrets), ...fixed.faults];
  faults.push(...further.filter((fault) => !faults.some(({ name }) => name === fault.name)));
  if (faults.length > 0) throw new ConfigError(faults);
  return { config: Object.freeze(config), secrets: Object.freeze(secrets) };
}

/** The largest object that S3's PutObject and CopyObject accept. */
const LARGEST_OBJECT_BYTES = 5 * 1024 ** 3;

/** Faults in combinations of variables that are valid individually. */
function contradictions(config: Config, secrets: Secrets): ConfigFault[] {
  const values = { ...config, ...secrets };
  const { production, identityMode, role, storageUrl, s3Endpoint, awsAccessKeyId, awsSecretAccessKey } = values;
  const faults: ConfigFault[] = [];
  type Key = keyof typeof values & keyof typeof variables;

  function demand(key: Key, isNeeded: boolean, when: string): void {
    const { name, example } = variables[key];
    if (isNeeded && values[key] === null) faults.push({ name, rule: `set when ${when}`, example });
  }
  /** @param rule says what to write */
  function refuse(key: Key, isWrong: boolean, rule: string): void {
    if (isWrong) faults.push({ name: variables[key].name, rule, example: null });
  }

  refuse('devMailbox', production && config.devMailbox, 'false in production');
  const unsigned = 'embedded or firebase in production: the emulator does not sign tokens';
  refuse('identityMode', production && identityMode === 'emulator', unsigned);
  demand('identityApiKey', identityMode === 'firebase', 'IDENTITY_MODE is firebase');
  demand('identityBaseUrl', identityMode === 'emulator', 'IDENTITY_MODE is emulator');
  const decidedThere = `open when IDENTITY_MODE is ${identityMode}: who can create an account is decided there`;
  refuse('signUp', identityMode !== 'embedded' && config.signUp !== 'open', decidedThere);
  demand('databaseUrl', role !== 'all', `ROLE is ${role}, so that machines share accounts and predictions`);
  demand('storageUrl', role !== 'all', `ROLE is ${role}, so that machines share recordings`);
  // Without a shared database, only this machine could use its uploads.
  demand('databaseUrl', role === 'all' && storageUrl !== null, 'STORAGE_URL is set');
  demand('storageUrl', role === 'all' && s3Endpoint !== null, 'S3_ENDPOINT is set');
  const tooLarge = storageUrl !== null && config.maxUploadBytes > LARGEST_OBJECT_BYTES;
  const largest = `at most ${LARGEST_OBJECT_BYTES} when STORAGE_URL is set, the largest object a bucket accepts`;
  refuse('maxUploadBytes', tooLarge, largest);
  demand('awsSecretAccessKey', awsAccessKeyId !== null, 'AWS_ACCESS_KEY_ID is set');
  demand('awsAccessKeyId', awsSecretAccessKey !== null, 'AWS_SECRET_ACCESS_KEY is set');
  return faults;
}
