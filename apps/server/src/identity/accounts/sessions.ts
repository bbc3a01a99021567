import { createHash, randomUUID } from 'node:crypto';
import type { SessionEndReason } from '../../database/identity-tables.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret, hashSecret } from '../secret-token.ts';
import type { Query } from './account-store.ts';
import type { SignOuts, WhichSessions } from './sign-outs.ts';

/** One sign-in on one device. */
export interface Session {
  readonly id: string;
  readonly authTimeSeconds: number;
}

export interface SessionRecord extends Session {
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  readonly userAgent: string | null;
}

export interface SessionOptions {
  readonly projectId: string;
  /** A session that was not used for so long is over. */
  readonly idleDays: number;
  /** Told of what `end` ends, which may be before that is committed. */
  readonly signOuts: SignOuts;
  /** milliseconds since 1970 */
  readonly now: () => number;
}

export interface Sessions {
  open(query: Query, accountId: string, userAgent: string | null): Promise<{ session: Session; refreshToken: string }>;
  /** Whether tokens of this session of this account are still good. */
  isOpen(query: Query, sessionId: string, accountId: string): Promise<boolean>;
  /**
   * The session of a refresh token, which stays the same: tabs share one and refresh at the same moment.
   *
   * @throws IdentityError INVALID_REFRESH_TOKEN, PROJECT_NUMBER_MISMATCH, TOKEN_EXPIRED, USER_NOT_FOUND
   */
  use(query: Query, refreshToken: string): Promise<Session & { accountId: string }>;
  /** Open sessions, last used first. */
  list(query: Query, accountId: string): Promise<readonly SessionRecord[]>;
  /**
   * Ends all sessions of an account, all but one, or one. Unless it is one alone, a change of address that is not confirmed yet ends with
   * them: a session that is to end may have asked for it.
   *
   * @returns how many were open
   */
  end(query: Query, accountId: string, reason: SessionEndReason, which?: WhichSessions): Promise<number>;
  /** Forgets sessions that ended long ago: their tokens are unknown from then on. The time of those that were used while the clock was ahead counts from now. */
  purge(query: Query): Promise<void>;
}

const dayMs = 86_400_000;
const keepEndedDays = 90;
const userAgentMaxLength = 256;
const maxListed = 200;

/** Sessions with opaque refresh tokens. A token is stored as its hash alone, and names its project so that a mix-up can be told. */
export function createSessions({ projectId, idleDays, signOuts, now }: SessionOptions): Sessions {
  const projectTag = createHash('sha256').update(projectId).digest('base64url').slice(0, 8);

  function requireOwnToken(refreshToken: string): void {
    const match = /^([A-Za-z0-9_-]{8})\.[A-Za-z0-9_-]{43}$/.exec(refreshToken);
    if (match === null) throw new IdentityError('INVALID_REFRESH_TOKEN');
    if (match[1] !== projectTag) throw new IdentityError('PROJECT_NUMBER_MISMATCH');
  }

  return {
    open: async (query, accountId, userAgent) => {
      const refreshToken = `${projectTag}.${createSecret()}`;
      const session = { id: randomUUID(), authTimeSeconds: Math.floor(now() / 1000) };
      // Ahead of a new session after the clock was set back; what ended then has ended by its session.
      await query
        .updateTable('accounts')
        .set({ validSinceSeconds: session.authTimeSeconds })
        .where('id', '=', accountId)
        .where('validSinceSeconds', '>', session.authTimeSeconds)
        .execute();
      await query
        .insertInto('sessions')
        .values({
          ...session,
          accountId,
          refreshTokenHash: hashSecret(refreshToken),
          createdAtMs: now(),
          lastUsedAtMs: now(),
          userAgent: userAgent?.slice(0, userAgentMaxLength) ?? null,
          endedAtMs: null,
          endReason: null,
        })
        .execute();
      return { session, refreshToken };
    },

    isOpen: async (query, sessionId, accountId) => {
      const row = await query
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', sessionId)
        .where('accountId', '=', accountId)
        .where('endedAtMs', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    use: async (query, refreshToken) => {
      requireOwnToken(refreshToken);
      const found = query.selectFrom('sessions').selectAll().where('refreshTokenHash', '=', hashSecret(refreshToken));
      const row = await found.executeTakeFirst();
      if (row === undefined) throw new IdentityError('INVALID_REFRESH_TOKEN');
      if (row.accountId === null || row.endReason === 'accountDeleted') throw new IdentityError('USER_NOT_FOUND');
      if (row.endedAtMs !== null) throw new IdentityError('TOKEN_EXPIRED');
      const isIdle = now() - row.lastUsedAtMs > idleDays * dayMs;
      await query
        .updateTable('sessions')
        .set(isIdle ? { endedAtMs: now(), endReason: 'idle' } : { lastUsedAtMs: now() })
        .where('id', '=', row.id)
        .execute();
      if (isIdle) throw new IdentityError('TOKEN_EXPIRED');
      return { id: row.id, authTimeSeconds: row.authTimeSeconds, accountId: row.accountId };
    },

    list: (query, accountId) =>
      query
        .selectFrom('sessions')
        .select(['id', 'authTimeSeconds', 'createdAtMs', 'lastUsedAtMs', 'userAgent'])
        .where('accountId', '=', accountId)
        .where('endedAtMs', 'is', null)
        .where('lastUsedAtMs', '>', now() - idleDays * dayMs)
        .orderBy('lastUsedAtMs', 'desc')
        .limit(maxListed)
        .execute(),

    end: async (query, accountId, reason, which = {}) => {
      const { only, except } = which;
      let statement = query
        .updateTable('sessions')
        .set({ endedAtMs: now(), endReason: reason, userAgent: null })
        .where('accountId', '=', accountId)
        .where('endedAtMs', 'is', null);
      if (only !== undefined) statement = statement.where('id', '=', only);
      if (except !== undefined) statement = statement.where('id', '!=', except);
      if (only === undefined) {
        await query
          .deleteFrom('oneTimeCodes')
          .where('accountId', '=', accountId)
          .where('requestType', '=', 'VERIFY_AND_CHANGE_EMAIL')
          .execute();
      }
      const { numUpdatedRows } = await statement.executeTakeFirstOrThrow();
      signOuts.tell(accountId, which);
      return Number(numUpdatedRows);
    },

    purge: async (query) => {
      await query.updateTable('sessions').set({ lastUsedAtMs: now() }).where('lastUsedAtMs', '>', now()).execute();
      await query
        .deleteFrom('sessions')
        .where('endedAtMs', '<', now() - keepEndedDays * dayMs)
        .execute();
      await query
        .deleteFrom('sessions')
        .where('lastUsedAtMs', '<', now() - (idleDays + keepEndedDays) * dayMs)
        .execute();
    },
  };
}
