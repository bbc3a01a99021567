import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { SessionEndReason, SessionsTable } from '../../database/tables.ts';
import { endApiTokens } from '../api-tokens/end-api-tokens.ts';
import { IdentityError } from '../identity-error.ts';
import { createSecret, hashSecret } from '../secret-token.ts';
import { findAccount, type Query } from './account-store.ts';
import type { SignOuts, WhichSessions } from './sign-outs.ts';

/** One sign-in on one device. */
export interface Session {
  readonly id: string;
  readonly authTimeSeconds: number;
}

export type SessionRecord = Session & Readonly<Pick<SessionsTable, 'createdAtMs' | 'lastUsedAtMs' | 'userAgent'>>;

export interface SessionOptions {
  readonly projectId: string;
  /** A session that has not been used for this long ends. */
  readonly idleDays: number;
  /** Whether a refresh token is replaced when it is used, and its session ended when it is used again. */
  readonly rotation: boolean;
  /** Notified of what `end` ends. */
  readonly signOuts: SignOuts;
}

export interface SessionOfAccount extends Session {
  readonly accountId: string;
}

export interface UsedSession extends SessionOfAccount {
  readonly refreshToken: string;
}

export type Sessions = ReturnType<typeof createSessions>;

const DAY_MS = 86_400_000;
const KEEP_ENDED_DAYS = 90;
const USER_AGENT_MAX_LENGTH = 256;
const MAX_LISTED = 200;
/** Timers in background tabs may run only once a minute. */
const GRACE_MS = 120_000;

/**
 * Sessions with opaque refresh tokens: `project.family` and, after a replacement, `project.family.secret`. Only the hash of a token is
 * stored. The project part detects a token of another project; the family part identifies the session even by a token replaced long ago.
 */
export function createSessions({ projectId, idleDays, rotation, signOuts }: SessionOptions) {
  const projectTag = createHash('sha256').update(projectId).digest('base64url').slice(0, 8);

  /** @returns the first token of the family */
  function readOwnToken(refreshToken: string): string {
    const match = /^(([A-Za-z0-9_-]{8})\.[A-Za-z0-9_-]{43})(?:\.[A-Za-z0-9_-]{43})?$/.exec(refreshToken);
    if (match?.[1] === undefined) throw new IdentityError('INVALID_REFRESH_TOKEN');
    if (match[2] !== projectTag) throw new IdentityError('PROJECT_NUMBER_MISMATCH');
    return match[1];
  }

  const successorOf = (refreshToken: string, key: string): string =>
    `${readOwnToken(refreshToken)}.${createHmac('sha256', key).update(refreshToken).digest('base64url')}`;

  const isBeforeCurrent = (row: Selectable<SessionsTable>, hash: string): boolean =>
    // A clock that was set back must not end sessions.
    row.previousTokenHash === hash && row.rotatedAtMs !== null && Date.now() - row.rotatedAtMs <= GRACE_MS;

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
      await query
        .deleteFrom('oneTimeCodes')
        .where('accountId', '=', accountId)
        .where('requestType', '=', 'VERIFY_AND_CHANGE_EMAIL')
        .execute();
    }
    const { numUpdatedRows } = await statement.executeTakeFirstOrThrow();
    await signOuts.tell(query, accountId, which);
    return Number(numUpdatedRows);
  }

  async function find(query: Query, refreshToken: string): Promise<Selectable<SessionsTable> & { accountId: string }> {
    const first = readOwnToken(refreshToken);
    const found = query.selectFrom('sessions').selectAll().where('refreshTokenHash', '=', hashSecret(first));
    const row = await found.executeTakeFirst();
    if (row === undefined) throw new IdentityError('INVALID_REFRESH_TOKEN');
    const { accountId } = row;
    if (accountId === null || row.endReason === 'accountDeleted') throw new IdentityError('USER_NOT_FOUND');
    if (row.endedAtMs !== null) {
      const account = row.endReason === 'disabled' ? await findAccount(query, accountId) : null;
      throw new IdentityError(account?.disabled ? 'USER_DISABLED' : 'TOKEN_EXPIRED');
    }
    const hash = hashSecret(refreshToken);
    const isReused = hash !== (row.currentTokenHash ?? row.refreshTokenHash) && !isBeforeCurrent(row, hash);
    const isIdle = Date.now() - row.lastUsedAtMs > idleDays * DAY_MS;
    if (isReused || isIdle) {
      await end(query, accountId, isReused ? 'tokenReused' : 'idle', { only: row.id });
      throw new IdentityError('TOKEN_EXPIRED');
    }
    return { ...row, accountId };
  }

  /** @returns the token to continue with */
  async function renew(query: Query, row: Selectable<SessionsTable>, refreshToken: string): Promise<string> {
    const hash = hashSecret(refreshToken);
    if (row.successorKey !== null && isBeforeCurrent(row, hash)) return successorOf(refreshToken, row.successorKey);
    // A second replacement within this time would leave a slower tab's token two behind.
    const isJustRotated = row.rotatedAtMs !== null && Math.abs(Date.now() - row.rotatedAtMs) <= GRACE_MS;
    const rotates = rotation && !isJustRotated;
    const successorKey = createSecret();
    const successor = rotates ? successorOf(refreshToken, successorKey) : refreshToken;
    const change = { currentTokenHash: hashSecret(successor), previousTokenHash: hash, successorKey, rotatedAtMs: Date.now() };
    await query
      .updateTable('sessions')
      .set({ lastUsedAtMs: Date.now(), ...(rotates ? change : {}) })
      .where('id', '=', row.id)
      .execute();
    return successor;
  }

  /**
   * Returns the session of a refresh token and the token to continue with: a new one with rotation, otherwise the same.
   *
   * For `GRACE_MS` after a replacement, the previous token gets the same new one again, and the new one is not replaced: tabs share a token
   * and refresh at about the same moment, and responses get lost. A later use of the previous token means that it was copied, and ends the
   * session.
   *
   * @param query of a change, because two tabs may refresh at the same moment
   * @param check throws if the account may not continue; the token is not used up then
   * @throws IdentityError INVALID_REFRESH_TOKEN, PROJECT_NUMBER_MISMATCH, TOKEN_EXPIRED, USER_DISABLED, USER_NOT_FOUND
   */
  async function use(
    query: Query,
    refreshToken: string,
    check: (found: SessionOfAccount) => Promise<void>,
  ): Promise<UsedSession> {
    const row = await find(query, refreshToken);
    const found = { id: row.id, authTimeSeconds: row.authTimeSeconds, accountId: row.accountId };
    await check(found);
    return { ...found, refreshToken: await renew(query, row, refreshToken) };
  }

  return {
    open: async (query: Query, accountId: string, userAgent: string | null) => {
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

    use,

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
