import { z } from 'zod';

/**
 * Bodies of the identity service, as Identity Toolkit defines them. Unknown fields are ignored, `null` counts as absent. `strInt` is a
 * whole number written as a string: Google's format for 64-bit numbers, which the SDK relies on.
 */

/** A field that may be omitted or `null`; parsed, it is never null. The annotation lets the page's bundle drop what it does not use. */
/* @__NO_SIDE_EFFECTS__ */
const absent = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();
const text = absent(z.string().max(8192));
const flag = absent(z.boolean());
const strInt = z.string().regex(/^\d+$/);

/** An answer, which names its kind. */
/* @__NO_SIDE_EFFECTS__ */
const answerOf = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.object({ kind: z.literal(`identitytoolkit#${kind}` as const), ...shape });

const returnSecureToken = flag;
const email = text;
const password = text;
const idToken = text;

export const signUpBodySchema = z.object({
  email,
  password,
  displayName: text,
  idToken,
  returnSecureToken,
  /** Not in Identity Toolkit: the version of the terms agreed to, recorded together with the account. */
  termsVersion: absent(z.string().max(64)),
  /** Not in Identity Toolkit: the code of an invitation, required if `SIGN_UP` is `invite`. */
  inviteCode: absent(z.string().max(200)),
});

export const signInBodySchema = z.object({ email, password, returnSecureToken });

export const lookupBodySchema = z.object({ idToken });

export const updateBodySchema = z.object({
  idToken,
  oobCode: text,
  displayName: text,
  photoUrl: text,
  password,
  email,
  deleteAttribute: absent(z.array(z.string()).max(16)),
  deleteProvider: absent(z.array(z.string()).max(16)),
  returnSecureToken,
  /* For operators only; refused here instead of ignored, so that a caller learns of it. */
  localId: text,
  emailVerified: flag,
  disableUser: flag,
  customAttributes: text,
  validSince: absent(z.union([z.string(), z.number()])),
});
export type UpdateBody = z.output<typeof updateBodySchema>;

export const deleteBodySchema = z.object({ idToken, localId: text });

export const sendOobCodeBodySchema = z.object({
  requestType: text,
  email,
  idToken,
  newEmail: text,
  continueUrl: text,
  canHandleCodeInApp: flag,
  returnOobLink: flag,
});
export type SendOobCodeBody = z.output<typeof sendOobCodeBodySchema>;

export const resetPasswordBodySchema = z.object({ oobCode: text, newPassword: text, email: text });

export const createAuthUriBodySchema = z.object({ identifier: text, continueUri: text });

export const tokenBodySchema = z.object({ grant_type: text, refresh_token: text });

const tokens = { idToken: z.string(), refreshToken: z.string(), expiresIn: strInt };

export const signUpAnswerSchema = answerOf('SignupNewUserResponse', {
  localId: z.string(),
  email: z.string(),
  displayName: z.string().optional(),
  ...tokens,
});

export const signInAnswerSchema = answerOf('VerifyPasswordResponse', {
  localId: z.string(),
  email: z.string(),
  displayName: z.string(),
  registered: z.literal(true),
  ...tokens,
});

export const providerUserInfoSchema = z.object({
  providerId: z.literal('password'),
  email: z.string(),
  federatedId: z.string(),
  rawId: z.string(),
  displayName: z.string().optional(),
  photoUrl: z.string().optional(),
});

export const accountInfoSchema = z.object({
  localId: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  displayName: z.string().optional(),
  photoUrl: z.string().optional(),
  disabled: z.boolean(),
  /** milliseconds since 1970 */
  createdAt: strInt,
  lastLoginAt: strInt,
  /** seconds since 1970 */
  validSince: strInt,
  lastRefreshAt: z.iso.datetime().optional(),
  /** milliseconds since 1970, as a number */
  passwordUpdatedAt: z.number(),
  providerUserInfo: z.array(providerUserInfoSchema),
  /** JSON of custom claims; returned only to operators */
  customAttributes: z.string().optional(),
});
export type AccountInfo = z.infer<typeof accountInfoSchema>;

export const lookupAnswerSchema = answerOf('GetAccountInfoResponse', { users: z.array(accountInfoSchema).optional() });

export const updateAnswerSchema = answerOf('SetAccountInfoResponse', {
  localId: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  displayName: z.string().optional(),
  photoUrl: z.string().optional(),
  newEmail: z.string().optional(),
  providerUserInfo: z.array(providerUserInfoSchema),
  idToken: tokens.idToken.optional(),
  refreshToken: tokens.refreshToken.optional(),
  expiresIn: strInt.optional(),
});
export type UpdateAnswer = z.infer<typeof updateAnswerSchema>;

export const deleteAnswerSchema = answerOf('DeleteAccountResponse', {});

export const sendOobCodeAnswerSchema = answerOf('GetOobConfirmationCodeResponse', {
  email: z.string(),
  oobCode: z.string().optional(),
  oobLink: z.string().optional(),
});

export const oobRequestTypeSchema = z.enum(['PASSWORD_RESET', 'VERIFY_EMAIL', 'VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL']);

export const resetPasswordAnswerSchema = answerOf('ResetPasswordResponse', {
  email: z.string(),
  requestType: oobRequestTypeSchema,
  newEmail: z.string().optional(),
});

export const createAuthUriAnswerSchema = answerOf('CreateAuthUriResponse', {
  sessionId: z.string(),
  registered: z.boolean().optional(),
  allProviders: z.array(z.string()).optional(),
  signinMethods: z.array(z.string()).optional(),
});

/** snake_case, like the token service; both token fields hold the same ID token. */
export const tokenAnswerSchema = z.object({
  access_token: z.string(),
  id_token: z.string(),
  expires_in: strInt,
  refresh_token: z.string(),
  token_type: z.literal('Bearer'),
  user_id: z.string(),
  project_id: z.string(),
});

/** The body of every error response. `message` is a code, or a code followed by ` : ` and a text. */
export const identityErrorBodySchema = z.object({
  error: z.object({
    code: z.int(),
    message: z.string(),
    errors: z.array(z.object({ message: z.string(), domain: z.string(), reason: z.string() })),
    status: z.string(),
    details: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
});
export type IdentityErrorBody = z.infer<typeof identityErrorBodySchema>;

/* Operators' calls: `projects/{project}/accounts…`, with a bearer secret. */

export const createAccountBodySchema = z.object({
  localId: absent(z.string().max(128)),
  email,
  password,
  displayName: text,
  photoUrl: text,
  emailVerified: flag,
  disabled: flag,
});
export type CreateAccountBody = z.output<typeof createAccountBodySchema>;
export const createAccountAnswerSchema = answerOf('SignupNewUserResponse', { localId: z.string(), email: z.string() });

export const findAccountsBodySchema = z.object({
  localId: absent(z.array(z.string()).max(100)),
  email: absent(z.array(z.string()).max(100)),
});

export const changeAccountBodySchema = updateBodySchema.omit({
  idToken: true,
  oobCode: true,
  deleteProvider: true,
  returnSecureToken: true,
});
export type ChangeAccountBody = z.output<typeof changeAccountBodySchema>;
export const changeAccountAnswerSchema = answerOf('SetAccountInfoResponse', { localId: z.string() });

export const removeAccountBodySchema = z.object({ localId: text });

export const listAccountsQuerySchema = z.object({
  maxResults: z.coerce.number().int().min(1).max(1000).default(20),
  nextPageToken: z.string().max(128).optional(),
});
export const listAccountsAnswerSchema = answerOf('DownloadAccountResponse', {
  users: z.array(accountInfoSchema).optional(),
  nextPageToken: z.string().optional(),
});
