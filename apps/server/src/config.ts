import type { PublicTerms } from '@chiffchaff/contract';
import type { Variable } from './config-variable.ts';
import { variables } from './config-variables.ts';
import { termsVariables } from './terms-variables.ts';

/** Where a local copy of the page is served from while it is developed. */
const DEVELOPMENT_ORIGINS = ['http://localhost:5173', 'http://127.0.0.1:5173', 'http://localhost:3000'];

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

type Table = Readonly<Record<string, Variable<unknown>>>;
type Values<Of extends Table> = { readonly [Key in keyof Of]: Of[Key]['fallback'] };
type All = Values<typeof variables>;

/** What only the server may know. */
export type Secrets = Pick<All, 'smtpUrl' | 'identityAdminSecret' | 'metricsToken'>;

/** What the server is told by its environment; times in seconds, sizes in bytes. */
export interface Config extends Omit<All, 'allowedOrigins' | 'nodeEnv' | keyof Secrets> {
  /** What goes into the blanks of the terms. */
  readonly terms: PublicTerms;
  readonly allowedOrigins: readonly string[];
  readonly production: boolean;
  /** `PATH`, where programs are looked for. */
  readonly searchPath: string;
}

/**
 * Reads the environment, purely. An empty variable counts as unset; a fresh clone runs with none set.
 *
 * @throws ConfigError that names every variable that cannot be understood
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

  const takeAll = <Of extends Table>(table: Of): Values<Of> =>
    Object.fromEntries(Object.entries(table).map(([key, row]) => [key, take(row)])) as Values<Of>;

  const { smtpUrl, identityAdminSecret, metricsToken, nodeEnv, ...told } = takeAll(variables);
  const production = nodeEnv === 'production';
  const config: Config = {
    ...told,
    allowedOrigins: told.allowedOrigins ?? (production ? [] : DEVELOPMENT_ORIGINS),
    terms: takeAll(termsVariables),
    production,
    searchPath: environment.PATH ?? '',
  };
  faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return { config: Object.freeze(config), secrets: Object.freeze({ smtpUrl, identityAdminSecret, metricsToken }) };
}

/** What each variable by itself allows, and all of them together do not. */
function contradictions({ production, devMailbox, identityMode, identityApiKey, identityBaseUrl }: Config): ConfigFault[] {
  const fault = ({ name, example }: Variable<unknown>, rule: string, instead = example): ConfigFault => ({
    name,
    rule,
    example: instead,
  });
  return [
    ...(production && devMailbox ? [fault(variables.devMailbox, 'false in production', 'false')] : []),
    ...(production && identityMode === 'emulator'
      ? [fault(variables.identityMode, 'embedded or firebase in production: the emulator signs nothing')]
      : []),
    ...(identityMode === 'firebase' && identityApiKey === null
      ? [fault(variables.identityApiKey, 'set when IDENTITY_MODE is firebase')]
      : []),
    ...(identityMode === 'emulator' && identityBaseUrl === null
      ? [fault(variables.identityBaseUrl, 'set when IDENTITY_MODE is emulator')]
      : []),
  ];
}
