import { createHash, randomUUID } from 'node:crypto';
import type { SessionEndReason, SessionsTable } from '../../database/tables.ts';
import { endApiTokens } from '../api-tokens/end-api-tokens.ts';
import { voidCodes } from '../codes/one-time-codes.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret, hashSecret } from '../secret-token.ts';
import { findAccount, type Query } from './account-store.ts';
import type { SignOuts, WhichSessions } from './sign-outs.ts';

/** One sign-in on one device. */
export interface Session {
  readonly id: string;
  readonly authTimeSeconds: number;
}

type SessionRecord = Session & Readonly<Pick<SessionsTable, 'createdAtMs' | 'lastUsedAtMs' | 'userAgent'>>;

/** A session as exports and lists show it. */
export const describeSession = ({ createdAtMs, lastUsedAtMs, userAgent }: SessionRecord) => ({
  createdAt: new Date(createdAtMs).toISOString(),
  lastUsedAt: new Date(lastUsedAtMs).toISOString(),
  userAgent,
});

export interface SessionOptions {
  readonly projectId: string;
  /** A session that has not been used for this long ends. */
  readonly idleDays: number;
  /** Notified of what `end` ends. */
  readonly signOuts: SignOuts;
}

export type Sessions = ReturnType<typeof createSessions>;

const DAY_MS = 86_400_000;
const KEEP_ENDED_DAYS = 90;
const USER_AGENT_MAX_LENGTH = 256;
const MAX_LISTED = 200;

/**
 * Sessions with opaque refresh tokens, `project.secret`, which stay the same while the session lasts. Only the hash of a token is stored.
 * The project part detects a token of another project.
 */
export function createSessions({ projectId, idleDays, signOuts }: SessionOptions) {
  const projectTag = createHash('sha256').update(projectId).digest('base64url').slice(0, 8);

  /**
   * Ends all sessions of an account, all but one, or one. Unless only one ends, this also revokes the account's API tokens and voids a
   * pending change of address, because an ended session may have requested them.
   *
   * @returns how many were open
   */
  async function end(query: Query, accountId: string, reason: SessionEndReason, which: WhichSessions = {}): Promise<number> {
    const { only, except } = which;
    let statement = query
      .updateTable('sessions')
      .set({ endedAtMs: Date.now(), endReason: reason, userAgent: null })
      .where('accountId', '=', accountId)
      .where('endedAtMs', 'is', null);
    if (only !== undefined) statement = statement.where('id', '=', only);
    if (except !== undefined) statement = statement.where('id', '!=', except);
    if (only === undefined) {
      await endApiTokens(query, accountId);
      await voidCodes(query, accountId, 'VERIFY_AND_CHANGE_EMAIL');
    }
    const { numUpdatedRows } = await statement.executeTakeFirstOrThrow();
    await signOuts.tell(query, accountId, which);
    return Number(numUpdatedRows);
  }

  return {
    open: async (query: Query, accountId: string, userAgent: string | undefined) => {
      const refreshToken = `${projectTag}.${createSecret()}`;
      const session: Session = { id: randomUUID(), authTimeSeconds: Math.floor(Date.now() / 1000) };
      // After the clock was set back, this time may be later than the new sign-in. Lowering it revives nothing: ended sessions stay ended.
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
          createdAtMs: Date.now(),
          lastUsedAtMs: Date.now(),
          userAgent: userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null,
          endedAtMs: null,
          endReason: null,
        })
        .execute();
      return { session, refreshToken };
    },

    /** Whether this session of this account is open. */
    isOpen: async (query: Query, sessionId: string, accountId: string): Promise<boolean> => {
      const row = await query
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', sessionId)
        .where('accountId', '=', accountId)
        .where('endedAtMs', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Returns the session of a refresh token. An idle one ends.
     *
     * @throws IdentityError INVALID_REFRESH_TOKEN, PROJECT_NUMBER_MISMATCH, TOKEN_EXPIRED, USER_DISABLED, USER_NOT_FOUND
     */
    find: async (query: Query, refreshToken: string): Promise<Session & { readonly accountId: string }> => {
      const tag = /^([A-Za-z0-9_-]{8})\.[A-Za-z0-9_-]{43}$/.exec(refreshToken)?.[1];
      if (tag === undefined) throw new IdentityError('INVALID_REFRESH_TOKEN');
      if (tag !== projectTag) throw new IdentityError('PROJECT_NUMBER_MISMATCH');
      const found = query.selectFrom('sessions').selectAll().where('refreshTokenHash', '=', hashSecret(refreshToken));
      const row = await found.executeTakeFirst();
      if (row === undefined) throw new IdentityError('INVALID_REFRESH_TOKEN');
      const { id, authTimeSeconds, accountId } = row;
      if (accountId === null || row.endReason === 'accountDeleted') throw new IdentityError('USER_NOT_FOUND');
      if (row.endedAtMs !== null) {
        const account = row.endReason === 'disabled' ? await findAccount(query, accountId) : null;
        throw new IdentityError(account?.disabled ? 'USER_DISABLED' : 'TOKEN_EXPIRED');
      }
      if (Date.now() - row.lastUsedAtMs > idleDays * DAY_MS) {
        await end(query, accountId, 'idle', { only: id });
        throw new IdentityError('TOKEN_EXPIRED');
      }
      return { id, authTimeSeconds, accountId };
    },

    recordUse: async (query: Query, sessionId: string): Promise<void> => {
      await query.updateTable('sessions').set({ lastUsedAtMs: Date.now() }).where('id', '=', sessionId).execute();
    },

    /** Open sessions, most recently used first. */
    list: (query: Query, accountId: string): Promise<readonly SessionRecord[]> =>
      query
        .selectFrom('sessions')
        .select(['id', 'authTimeSeconds', 'createdAtMs', 'lastUsedAtMs', 'userAgent'])
        .where('accountId', '=', accountId)
        .where('endedAtMs', 'is', null)
        .where('lastUsedAtMs', '>', Date.now() - idleDays * DAY_MS)
        .orderBy('lastUsedAtMs', 'desc')
        .limit(MAX_LISTED)
        .execute(),

    end,

    /**
     * Deletes sessions that ended long ago; their tokens are unknown from then on. Sessions used while the clock was ahead count as used
     * now.
     */
    purge: async (query: Query): Promise<void> => {
      await query.updateTable('sessions').set({ lastUsedAtMs: Date.now() }).where('lastUsedAtMs', '>', Date.now()).execute();
      await query
        .deleteFrom('sessions')
        .where('endedAtMs', '<', Date.now() - KEEP_ENDED_DAYS * DAY_MS)
        .execute();
      await query
        .deleteFrom('sessions')
        .where('lastUsedAtMs', '<', Date.now() - (idleDays + KEEP_ENDED_DAYS) * DAY_MS)
        .execute();
    },
  };
}
