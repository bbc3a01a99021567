import {
  accountInfoSchema,
  lookupAnswerSchema,
  type PublicConfig,
  resetPasswordAnswerSchema,
  signInAnswerSchema,
  tokenAnswerSchema,
  updateAnswerSchema,
} from '@chiffchaff/contract';
import axios, { type AxiosInstance } from 'axios';
import { z } from 'zod';
import { spoken } from '../../languages/i18n.ts';
import { toApiError } from '../api/api-error.ts';
import { createHttpClient } from '../api/http-client.ts';
import type { IssuedSession } from '../session/create-auth-session.ts';
import { codeOfMessage, IdentityFailure } from './identity-failure.ts';

/** Time limit for these short calls; hashing a password on a busy server takes seconds. */
export const IDENTITY_TIMEOUT_MS = 15_000;

/** The deployment's identity service; an empty address means the API's own. */
export const identityOptionsOf = ({ apiOrigin, identity }: PublicConfig): IdentityClientOptions => ({
  baseUrl: identity.baseUrl || apiOrigin,
  tokenBaseUrl: identity.tokenBaseUrl || identity.baseUrl || apiOrigin,
  apiKey: identity.apiKey,
  language: () => spoken.snapshot().language,
});

interface IdentityClientOptions {
  /** Address before `/v1/accounts:…`, without a trailing slash. */
  readonly baseUrl: string;
  /** The same for `/v1/token`: Google uses another host. */
  readonly tokenBaseUrl: string;
  /** Sent as the query parameter `key`. */
  readonly apiKey: string;
  /** Language of the emails that calls send. */
  readonly language: () => string;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

type CodeMailRequest =
  | { readonly requestType: 'PASSWORD_RESET'; readonly email: string }
  | { readonly requestType: 'VERIFY_EMAIL'; readonly idToken: string }
  | { readonly requestType: 'VERIFY_AND_CHANGE_EMAIL'; readonly idToken: string; readonly newEmail: string };

// Only the parts of each response that are used: those of Google and the emulator lack some of our other fields.
const issuedSchema = signInAnswerSchema.pick({ localId: true, idToken: true, refreshToken: true, expiresIn: true });
const updatedSchema = updateAnswerSchema.pick({ localId: true, email: true });
const renewedSchema = tokenAnswerSchema.pick({ id_token: true, refresh_token: true, expires_in: true });
const profileSchema = accountInfoSchema
  .pick({ localId: true, email: true, displayName: true })
  .extend({ emailVerified: z.boolean().default(false) });
const profilesSchema = lookupAnswerSchema.pick({ kind: true }).extend({ users: z.tuple([profileSchema], z.unknown()) });
const codeSchema = resetPasswordAnswerSchema.pick({ email: true, requestType: true, newEmail: true });
const anySchema = z.unknown();
/** The error format of Google's token service is shorter than all others; only the message is read. */
const errorSchema = z.object({ error: z.object({ message: z.string() }) });

function toFailure(thrown: unknown): IdentityFailure {
  const refusal = axios.isAxiosError<unknown>(thrown) ? errorSchema.safeParse(thrown.response?.data) : null;
  if (refusal?.success) {
    const { message } = refusal.data.error;
    return new IdentityFailure(message, codeOfMessage(message), { cause: thrown });
  }
  return new IdentityFailure(toApiError(thrown).message, null, { cause: thrown });
}

const sessionOf = ({ idToken, refreshToken, expiresIn, localId }: z.infer<typeof issuedSchema>): IssuedSession => ({
  token: idToken,
  refreshToken,
  expiresInSeconds: Number(expiresIn),
  localId,
});

export function createIdentityClient(
  { baseUrl, tokenBaseUrl, apiKey, language }: IdentityClientOptions,
  http: AxiosInstance = createHttpClient(''),
) {
  const params = { key: apiKey };

  async function send<Answer>(url: string, body: unknown, schema: z.ZodType<Answer>): Promise<Answer> {
    try {
      const headers = url.endsWith('/v1/token') ? {} : { 'X-Firebase-Locale': language() };
      const { data } = await http.post<unknown>(url, body, { params, headers, timeout: IDENTITY_TIMEOUT_MS });
      return schema.parse(data);
    } catch (thrown) {
      throw toFailure(thrown);
    }
  }
  const call = <Answer>(method: string, body: object, schema: z.ZodType<Answer>) =>
    send(`${baseUrl}/v1/accounts:${method}`, body, schema);
  const returnSecureToken = true;

  return {
    /** The service records `termsVersion` and the invitation's code in the same step; only our own service knows these fields. */
    signUp: async (credentials: Credentials & { readonly termsVersion?: string; readonly inviteCode?: string }) =>
      sessionOf(await call('signUp', { ...credentials, returnSecureToken }, issuedSchema)),
    signIn: async ({ email, password }: Credentials) =>
      sessionOf(await call('signInWithPassword', { email, password, returnSecureToken }, issuedSchema)),
    async renew(refreshToken: string) {
      const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
      const renewed = await send(`${tokenBaseUrl}/v1/token`, form, renewedSchema);
      return { token: renewed.id_token, refreshToken: renewed.refresh_token, expiresInSeconds: Number(renewed.expires_in) };
    },
    async lookup(idToken: string) {
      const { users } = await call('lookup', { idToken }, profilesSchema);
      const [{ displayName = '', ...profile }] = users;
      return { ...profile, displayName };
    },
    /** @param displayName empty removes it */
    async setDisplayName(idToken: string, displayName: string) {
      // All three services clear the name with `deleteAttribute`; they differ in what an empty name does.
      await call(
        'update',
        { idToken, ...(displayName === '' ? { deleteAttribute: ['DISPLAY_NAME'] } : { displayName }) },
        anySchema,
      );
    },
    /** Revokes the account's tokens and returns new ones. */
    setPassword: async (idToken: string, password: string) =>
      sessionOf(await call('update', { idToken, password, returnSecureToken }, issuedSchema)),
    async deleteAccount(idToken: string) {
      await call('delete', { idToken }, anySchema);
    },
    async sendCodeMail(request: CodeMailRequest) {
      await call('sendOobCode', request, anySchema);
    },
    /** Checks a code without using it up. */
    async checkCode(oobCode: string) {
      const { newEmail = null, ...meaning } = await call('resetPassword', { oobCode }, codeSchema);
      return { ...meaning, newEmail };
    },
    async resetPassword(oobCode: string, newPassword: string) {
      await call('resetPassword', { oobCode, newPassword }, anySchema);
    },
    /** Applies a code that verifies, changes or recovers an address. @returns whose account it was */
    applyCode: (oobCode: string) => call('update', { oobCode }, updatedSchema),
  };
}

/**
 * The Identity Toolkit methods that the page uses: `POST {base}/v1/accounts:…?key={key}`, with our own service, Google's or the Firebase
 * Auth emulator. Every method rejects only with an IdentityFailure. Only status 200 is success.
 */
export type IdentityClient = ReturnType<typeof createIdentityClient>;

export type AccountProfile = Awaited<ReturnType<IdentityClient['lookup']>>;
export type CodeMeaning = Awaited<ReturnType<IdentityClient['checkCode']>>;
