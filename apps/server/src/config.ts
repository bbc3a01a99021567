import type { PublicTerms } from '@chiffchaff/contract';
import type { Variable } from './config-variable.ts';
import { variables } from './config-variables.ts';

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
export interface Config extends Omit<Values, 'allowedOrigins' | 'nodeEnv' | keyof Secrets | keyof PublicTerms> {
  /** What goes into the blanks of the terms. */
  readonly terms: PublicTerms;
  readonly allowedOrigins: readonly string[];
  readonly production: boolean;
  /** `PATH`, where programs are looked for. */
  readonly searchPath: string;
}

/** What only the server may know. */
export interface Secrets {
  readonly smtpUrl: string | null;
  readonly identityAdminSecret: string | null;
  readonly metricsToken: string | null;
}

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
    minFreeDiskBytes: take(variables.minFreeDiskBytes),
    requestsPerClient: take(variables.requestsPerClient),
    quotaPerAccount: take(variables.quotaPerAccount),
    quotaPerClient: take(variables.quotaPerClient),
    megabyteQuotaPerAccount: take(variables.megabyteQuotaPerAccount),
    megabyteQuotaPerClient: take(variables.megabyteQuotaPerClient),
    retentionDays: take(variables.retentionDays),
    allowedOrigins: Object.freeze(take(variables.allowedOrigins) ?? (production ? [] : developmentOrigins)),
    trustProxy: take(variables.trustProxy),
    openPrediction: take(variables.openPrediction),
    identityMode: take(variables.identityMode),
    identityProjectId: take(variables.identityProjectId),
    identityApiKey: take(variables.identityApiKey),
    identityBaseUrl: take(variables.identityBaseUrl),
    identityTokenBaseUrl: take(variables.identityTokenBaseUrl),
    idTokenTtlSeconds: take(variables.idTokenTtlSeconds),
    sessionIdleDays: take(variables.sessionIdleDays),
    refreshRotation: take(variables.refreshRotation),
    emailEnumerationProtection: take(variables.emailEnumerationProtection),
    signUpOpen: take(variables.signUpOpen),
    continueOrigins: Object.freeze([...take(variables.continueOrigins)]),
    signInPerAddress: take(variables.signInPerAddress),
    signInPerClient: take(variables.signInPerClient),
    signUpPerClient: take(variables.signUpPerClient),
    codeMailPerAddress: take(variables.codeMailPerAddress),
    codeMailPerClient: take(variables.codeMailPerClient),
    wrongCodePerClient: take(variables.wrongCodePerClient),
    refreshPerClient: take(variables.refreshPerClient),
    wrongSecretPerClient: take(variables.wrongSecretPerClient),
    mailFrom: take(variables.mailFrom),
    devMailbox: take(variables.devMailbox),
    terms: Object.freeze({
      businessName: take(variables.businessName),
      siteName: take(variables.siteName),
      effectiveDate: take(variables.effectiveDate),
      state: take(variables.state),
      county: take(variables.county),
      country: take(variables.country),
      disputeYears: take(variables.disputeYears),
      negotiationDays: take(variables.negotiationDays),
      liabilityMonths: take(variables.liabilityMonths),
      liabilityAmount: take(variables.liabilityAmount),
      contactEmail: take(variables.contactEmail),
      contactAddress: take(variables.contactAddress),
      contactPhone: take(variables.contactPhone),
      copyrightAgent: take(variables.copyrightAgent),
    }),
    logLevel: take(variables.logLevel),
    production,
    searchPath: environment.PATH ?? '',
  };
  const secrets: Secrets = {
    smtpUrl: take(variables.smtpUrl),
    identityAdminSecret: take(variables.identityAdminSecret),
    metricsToken: take(variables.metricsToken),
  };
  faults.push(...contradictions(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return { config: Object.freeze(config), secrets: Object.freeze(secrets) };
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
