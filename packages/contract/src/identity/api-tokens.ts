import { z } from 'zod';
import { hasHiddenCharacters } from '../hidden-characters.ts';

/** `/v1/account/tokens`: secrets with which programs act for an account, within limits. */

/** `read`: read the account's predictions. `predict`: make predictions and follow them. */
export const tokenScopeSchema = z.enum(['read', 'predict']);
export type TokenScope = z.infer<typeof tokenScopeSchema>;

/** The prefix of every API token, by which scanners for leaked secrets can recognise one. */
export const API_TOKEN_PREFIX = 'cct_';

export const apiTokenLimits = {
  /** per account, including expired ones */
  most: 20,
  nameMaxLength: 60,
  /** maximum days until a token expires */
  longestDays: 3650,
  /** the same if another service keeps the accounts, since that does not report disabled accounts; expiry is then required */
  longestDaysForeign: 90,
} as const;

export const apiTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(tokenScopeSchema),
  createdAt: z.iso.datetime(),
  /** null: never */
  expiresAt: z.iso.datetime().nullable(),
  /** accurate to the hour; null: not used yet */
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiToken = z.infer<typeof apiTokenSchema>;

export const apiTokensSchema = z.object({ tokens: z.array(apiTokenSchema) });

export const newApiTokenBodySchema = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(apiTokenLimits.nameMaxLength)
    .refine((name) => !hasHiddenCharacters(name), 'must not contain hidden characters'),
  scopes: z
    .array(tokenScopeSchema)
    .min(1)
    .max(tokenScopeSchema.options.length)
    .refine((scopes) => new Set(scopes).size === scopes.length, 'must not name a scope twice'),
  /** absent: it does not expire */
  expiresInDays: z.int().min(1).max(apiTokenLimits.longestDays).optional(),
});

export const createdApiTokenSchema = z.object({
  token: apiTokenSchema,
  /** The token itself. It is returned only this once and stored only as a hash. */
  secret: z.string(),
});

export const apiTokenRevokedSchema = z.object({ revoked: z.literal(true) });
