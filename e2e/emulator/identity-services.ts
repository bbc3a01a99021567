import { randomUUID } from 'node:crypto';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import { inject } from 'vitest';
import { createIdentityClient, type IdentityClient } from '../../apps/web/src/platform/identity/identity-client.ts';
import type {} from './start-emulator.ts';

const { host: emulatorHost, project } = inject('emulator');
export const emulatorProject = project;

export const emulatorBaseUrl = `http://${emulatorHost}/identitytoolkit.googleapis.com`;
export const emulatorTokenBaseUrl = `http://${emulatorHost}/securetoken.googleapis.com`;

/** The environment of a server that accepts the emulator's tokens; the renewal address is derived from the base URL. */
export const emulatorServer = {
  IDENTITY_MODE: 'emulator',
  IDENTITY_BASE_URL: emulatorBaseUrl,
  IDENTITY_PROJECT_ID: emulatorProject,
  OPEN_PREDICTION: 'false',
  INFERENCE_WORKERS: '1',
} as const;

/** The page's client for the emulator, configured like `/config.json` of a server in emulator mode. */
export const createEmulatorClient = (): IdentityClient =>
  createIdentityClient({
    baseUrl: emulatorBaseUrl,
    tokenBaseUrl: emulatorTokenBaseUrl,
    apiKey: emulatorProject,
    language: () => 'en',
  });

/** A running identity service, with access to what happens outside the page: emails, and disabling by an operator. */
export interface RunningIdentityService {
  readonly identity: IdentityClient;
  /** The newest code of this request type mailed to an address. */
  newestCode(email: string, requestType: string): Promise<string>;
  disable(localId: string): Promise<void>;
  stop(): Promise<void>;
}

/** Differences between the services that the page's client can see (the emulator differs from Google's service). */
export interface ServiceTraits {
  readonly name: string;
  start(): Promise<RunningIdentityService>;
  /** Error codes of a sign-in with a wrong password, and with an address that has no account. */
  readonly wrongPassword: string;
  readonly unknownAddress: string;
  /** Error code of a reset request for an address that has no account; null if it succeeds. */
  readonly resetForUnknownAddress: string | null;
  /** Error code of a wrong password for a disabled account. */
  readonly wrongPasswordOfDisabled: string;
  /** Error code for a refresh token from before a password change; null if it still works. */
  readonly refreshTokenBeforePasswordChange: string | null;
  readonly refreshTokenOfDeleted: string;
  /** Whether every sign-in is a separate session with a refresh token that can be revoked on its own. */
  readonly countsSessions: boolean;
  /** The recipient of the code for a change of address. */
  readonly changeCodeGoesTo: 'the old address' | 'the new address';
  /** How ID tokens are signed. */
  readonly algorithm: string;
}

async function callJson(method: string, url: string, body: unknown, bearer: string): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Finds a code in the list of mails, which has the same form at the emulator and at our own server. */
async function newestCode(listUrl: string, email: string, requestType: string): Promise<string> {
  // as: a list for tests; if its shape were wrong, the search below would fail
  const { oobCodes } = (await callJson('GET', listUrl, null, '')) as {
    oobCodes: readonly { readonly email: string; readonly requestType: string; readonly oobCode: string }[];
  };
  const found = oobCodes.findLast((mail) => mail.email === email && mail.requestType === requestType);
  if (found === undefined) throw new Error(`No mail for ${requestType} to ${email} among ${oobCodes.length}`);
  return found.oobCode;
}

/** Starts a client for the emulator, which either protects addresses (one code for all wrong credentials) or not. */
export async function startAtEmulator(enableImprovedEmailPrivacy: boolean): Promise<RunningIdentityService> {
  const emulator = `http://${emulatorHost}/emulator/v1/projects/${emulatorProject}`;
  // The emulator's administrator token is "owner".
  await callJson('PATCH', `${emulator}/config`, { emailPrivacyConfig: { enableImprovedEmailPrivacy } }, 'owner');
  return {
    identity: createEmulatorClient(),
    newestCode: (email, requestType) => newestCode(`${emulator}/oobCodes`, email, requestType),
    async disable(localId) {
      const url = `${emulatorBaseUrl}/v1/projects/${emulatorProject}/accounts:update`;
      await callJson('POST', url, { localId, disableUser: true }, 'owner');
    },
    stop: async () => {},
  };
}

async function startOurOwn(): Promise<RunningIdentityService> {
  const secret = randomUUID();
  const server: StartedServer = await startServer({ DEV_MAILBOX: 'true', IDENTITY_ADMIN_SECRET: secret, INFERENCE_WORKERS: '1' });
  const { origin } = server;
  return {
    identity: createIdentityClient({ baseUrl: origin, tokenBaseUrl: origin, apiKey: 'chiffchaff', language: () => 'en' }),
    newestCode: (email, requestType) => newestCode(`${origin}/dev/oob-codes`, email, requestType),
    async disable(localId) {
      const url = `${origin}/v1/projects/chiffchaff/accounts:update?key=chiffchaff`;
      await callJson('POST', url, { localId, disableUser: true }, secret);
    },
    stop: () => server.stop(),
  };
}

const emulator = {
  wrongPasswordOfDisabled: 'USER_DISABLED',
  refreshTokenBeforePasswordChange: null,
  refreshTokenOfDeleted: 'INVALID_REFRESH_TOKEN',
  countsSessions: false,
  changeCodeGoesTo: 'the old address',
  algorithm: 'none',
} as const;

const ourOwnService: ServiceTraits = {
  name: 'Chiffchaff’s own identity service',
  start: startOurOwn,
  wrongPassword: 'INVALID_LOGIN_CREDENTIALS',
  unknownAddress: 'INVALID_LOGIN_CREDENTIALS',
  resetForUnknownAddress: null,
  wrongPasswordOfDisabled: 'INVALID_LOGIN_CREDENTIALS',
  refreshTokenBeforePasswordChange: 'TOKEN_EXPIRED',
  refreshTokenOfDeleted: 'USER_NOT_FOUND',
  countsSessions: true,
  changeCodeGoesTo: 'the new address',
  algorithm: 'RS256',
};

export const identityServices: readonly ServiceTraits[] = [
  {
    ...emulator,
    name: 'the Firebase Auth emulator',
    start: () => startAtEmulator(false),
    wrongPassword: 'INVALID_PASSWORD',
    unknownAddress: 'EMAIL_NOT_FOUND',
    resetForUnknownAddress: 'EMAIL_NOT_FOUND',
  },
  {
    ...emulator,
    name: 'the Firebase Auth emulator that protects addresses',
    start: () => startAtEmulator(true),
    wrongPassword: 'INVALID_LOGIN_CREDENTIALS',
    unknownAddress: 'INVALID_LOGIN_CREDENTIALS',
    resetForUnknownAddress: null,
  },
  ourOwnService,
];
