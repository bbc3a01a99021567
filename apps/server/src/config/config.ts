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

const fault = ({ name, example }: Variable<unknown>, rule: string): ConfigFault => ({ name, rule, example });

/** For a rule that says what to write. */
const plainFault = ({ name }: Variable<unknown>, rule: string): ConfigFault => ({ name, rule, example: null });

/** Faults in combinations of variables that are valid individually. */
function contradictions(
  {
    production,
    devMailbox,
    identityMode,
    identityApiKey,
    identityBaseUrl,
    signUp,
    role,
    storageUrl,
    s3Endpoint,
    maxUploadBytes,
  }: Config,
  { databaseUrl, awsAccessKeyId, awsSecretAccessKey }: Secrets,
): ConfigFault[] {
  return [
    ...(production && devMailbox ? [plainFault(variables.devMailbox, 'false in production')] : []),
    ...(production && identityMode === 'emulator'
      ? [plainFault(variables.identityMode, 'embedded or firebase in production: the emulator does not sign tokens')]
      : []),
    ...(identityMode === 'firebase' && identityApiKey === null
      ? [fault(variables.identityApiKey, 'set when IDENTITY_MODE is firebase')]
      : []),
    ...(identityMode === 'emulator' && identityBaseUrl === null
      ? [fault(variables.identityBaseUrl, 'set when IDENTITY_MODE is emulator')]
      : []),
    ...(identityMode !== 'embedded' && signUp !== 'open'
      ? [plainFault(variables.signUp, `open when IDENTITY_MODE is ${identityMode}: who can create an account is decided there`)]
      : []),
    ...(role !== 'all' && databaseUrl === null
      ? [fault(variables.databaseUrl, `set when ROLE is ${role}, so that machines share accounts and predictions`)]
      : []),
    ...(role !== 'all' && storageUrl === null
      ? [fault(variables.storageUrl, `set when ROLE is ${role}, so that machines share recordings`)]
      : []),
    // Without a shared database, only this machine could use its uploads.
    ...(role === 'all' && storageUrl !== null && databaseUrl === null
      ? [fault(variables.databaseUrl, 'set when STORAGE_URL is set')]
      : []),
    ...(role === 'all' && storageUrl === null && s3Endpoint !== null
      ? [fault(variables.storageUrl, 'set when S3_ENDPOINT is set')]
      : []),
    ...(storageUrl !== null && maxUploadBytes > LARGEST_OBJECT_BYTES
      ? [
          plainFault(
            variables.maxUploadBytes,
            `at most ${LARGEST_OBJECT_BYTES} when STORAGE_URL is set, the largest object a bucket accepts`,
          ),
        ]
      : []),
    ...(awsAccessKeyId !== null && awsSecretAccessKey === null
      ? [fault(variables.awsSecretAccessKey, 'set when AWS_ACCESS_KEY_ID is set')]
      : []),
    ...(awsAccessKeyId === null && awsSecretAccessKey !== null
      ? [fault(variables.awsAccessKeyId, 'set when AWS_SECRET_ACCESS_KEY is set')]
      : []),
  ];
}
