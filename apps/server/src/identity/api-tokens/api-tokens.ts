import { randomUUID } from 'node:crypto';
import {
  API_TOKEN_PREFIX,
  type ApiToken,
  apiTokenLimits,
  type newApiTokenBodySchema,
  type TokenScope,
} from '@chiffchaff/contract';
import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { ApiTokensTable } from '../../database/tables.ts';
import { HttpProblem, invalidFields } from '../../http/http-problem.ts';
import type { Sessions } from '../accounts/sessions.ts';
import type { SignOuts } from '../accounts/sign-outs.ts';
import type { Principal } from '../principal.ts';
import { createSecret, hashSecret } from '../secret-token.ts';
import { endApiTokens } from './end-api-tokens.ts';

export interface ApiTokensOptions {
  readonly database: Database;
  /** null when a foreign service manages accounts and sessions */
  readonly sessions: Sessions | null;
  /** Notifies responses in progress that their token has ended. */
  readonly signOuts: SignOuts;
}

export type ApiTokens = ReturnType<typeof createApiTokens>;

const DAY_MS = 86_400_000;
/** A token's last use is written at most this often, so that not every request writes. */
const USE_NOTED_EVERY_MS = 3_600_000;
const KEEP_EXPIRED_DAYS = 90;

/** Whether a bearer token is meant as an API token, valid or not. */
export const isApiToken = (bearer: string): boolean => bearer.startsWith(API_TOKEN_PREFIX);

/**
 * API tokens, which people create for their programs. Every request looks its token up, so a token revoked on any machine is refused at
 * once.
 */
export function createApiTokens({ database, sessions, signOuts }: ApiTokensOptions) {
  const { query } = database;

  /** Rows of valid tokens: not expired, and the account is not disabled. */
  function holding() {
    const rows = query
      .selectFrom('apiTokens')
      .selectAll()
      .where(({ eb, or }) => or([eb('expiresAtMs', 'is', null), eb('expiresAtMs', '>', Date.now())]));
    if (sessions === null) return rows;
    return rows.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('accounts')
          .select('accounts.id')
          .whereRef('accounts.id', '=', 'apiTokens.accountId')
          .where('accounts.disabled', '=', 0),
      ),
    );
  }

  async function noteUse({ id, lastUsedAtMs }: Selectable<ApiTokensTable>): Promise<void> {
    if (lastUsedAtMs !== null && Math.abs(Date.now() - lastUsedAtMs) < USE_NOTED_EVERY_MS) return;
    // A full disk or a busy database must not fail a request that only reads.
    await database
      .change({ light: true }, (step) =>
        step.updateTable('apiTokens').set({ lastUsedAtMs: Date.now() }).where('id', '=', id).execute(),
      )
      .catch(() => {});
  }

  function readExpiry(expiresInDays: number | undefined): number | null {
    if (sessions === null && (expiresInDays ?? Number.POSITIVE_INFINITY) > apiTokenLimits.longestDaysForeign) {
      throw invalidFields([
        { field: 'expiresInDays', message: `must be 1 to ${apiTokenLimits.longestDaysForeign} on this server` },
      ]);
    }
    return expiresInDays === undefined ? null : Date.now() + expiresInDays * DAY_MS;
  }

  async function list(accountId: string): Promise<ApiToken[]> {
    const rows = await query
      .selectFrom('apiTokens')
      .selectAll()
      .where('accountId', '=', accountId)
      .orderBy('createdAtMs', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(describe);
  }

  return {
    /** Verifies a token, of which any of these scopes is needed. @throws HttpProblem API_TOKEN_INVALID, API_TOKEN_NOT_ALLOWED */
    async verify(secret: string, needed: readonly TokenScope[]): Promise<Principal> {
      const row = await holding().where('tokenHash', '=', hashSecret(secret)).executeTakeFirst();
      if (row === undefined) throw new HttpProblem('API_TOKEN_INVALID', {});
      await noteUse(row);
      const { id, accountId, expiresAtMs } = row;
      const scopes = scopesOf(row);
      if (!needed.some((scope) => scopes.includes(scope))) throw new HttpProblem('API_TOKEN_NOT_ALLOWED', { needed });
      return {
        accountId,
        email: null,
        emailVerified: false,
        displayName: null,
        authTimeSeconds: 0,
        sessionId: null,
        tokenId: id,
        ...(scopes.includes('read') ? {} : { readsOnlyOwn: true }),
        ...(expiresAtMs === null ? {} : { endsAtMs: expiresAtMs }),
      };
    },

    /** Whether a token is still valid. */
    async holds(tokenId: string): Promise<boolean> {
      return (await holding().where('apiTokens.id', '=', tokenId).executeTakeFirst()) !== undefined;
    },

    /** Newest first, expired ones included. */
    list,

    /**
     * Creates a token. Its secret is only in the result; the database keeps a hash.
     *
     * @throws HttpProblem TOO_MANY_API_TOKENS, REQUEST_INVALID, SESSION_EXPIRED when the session ended meanwhile
     */
    async create({ accountId, sessionId }: Principal, { name, scopes, expiresInDays }: z.infer<typeof newApiTokenBodySchema>) {
      const secret = `${API_TOKEN_PREFIX}${createSecret()}`;
      const row: Selectable<ApiTokensTable> = {
        id: randomUUID(),
        accountId,
        tokenHash: hashSecret(secret),
        name,
        mayRead: scopes.includes('read') ? 1 : 0,
        mayPredict: scopes.includes('predict') ? 1 : 0,
        createdAtMs: Date.now(),
        expiresAtMs: readExpiry(expiresInDays),
        lastUsedAtMs: null,
      };
      await database.change({}, async (step) => {
        // Ending all sessions revokes the tokens; a session that ended meanwhile must not create another.
        if (sessions && !(await sessions.isOpen(step, sessionId ?? '', accountId))) throw new HttpProblem('SESSION_EXPIRED', {});
        const counted = step.selectFrom('apiTokens').select(({ fn }) => fn.countAll<number>().as('count'));
        const { count } = await counted.where('accountId', '=', accountId).executeTakeFirstOrThrow();
        if (count >= apiTokenLimits.most) throw new HttpProblem('TOO_MANY_API_TOKENS', { most: apiTokenLimits.most });
        await step.insertInto('apiTokens').values(row).execute();
      });
      return { token: describe(row), secret };
    },

    /** Revokes a token and ends its responses in progress. @returns whether it existed */
    revoke: (accountId: string, tokenId: string): Promise<boolean> =>
      database.change({ freesRoom: true }, async (step) => {
        const deletion = step.deleteFrom('apiTokens').where('id', '=', tokenId).where('accountId', '=', accountId);
        const { numDeletedRows } = await deletion.executeTakeFirstOrThrow();
        await signOuts.tell(step, accountId, { only: tokenId });
        return numDeletedRows > 0n;
      }),

    /** Revokes all tokens of an account and ends their responses in progress. */
    async endAll(accountId: string): Promise<void> {
      if ((await list(accountId)).length === 0) return;
      await database.change({ freesRoom: true }, async (step) => {
        await endApiTokens(step, accountId);
        await signOuts.tell(step, accountId);
      });
    },

    /** Deletes tokens that expired long ago. */
    purge: async (): Promise<void> => {
      const before = Date.now() - KEEP_EXPIRED_DAYS * DAY_MS;
      await database.change({}, (step) => step.deleteFrom('apiTokens').where('expiresAtMs', '<', before).execute());
    },
  };
}

const scopesOf = ({ mayRead, mayPredict }: Selectable<ApiTokensTable>): TokenScope[] => [
  ...(mayRead === 1 ? (['read'] as const) : []),
  ...(mayPredict === 1 ? (['predict'] as const) : []),
];

function describe(row: Selectable<ApiTokensTable>): ApiToken {
  const { id, name, createdAtMs, expiresAtMs, lastUsedAtMs } = row;
  return {
    id,
    name,
    scopes: scopesOf(row),
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    lastUsedAt: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
  };
}
