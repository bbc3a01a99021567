import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { hashSecret } from '../identity/secret-token.ts';

export const SETUP_CODE_MINUTES = 30;
const MAX_WRONG_TRIES = 5;
const CODE_BYTES = 16;

export type SetupCodes = ReturnType<typeof createSetupCodes>;

/** Ignores case, and everything but hexadecimal digits. */
const hashOf = (code: string): string => hashSecret(code.toLowerCase().replaceAll(/[^0-9a-f]/g, ''));

/** Codes for the page `/setup`: 128 bits, valid once, for half an hour and for five wrong tries on all machines together. */
export function createSetupCodes(database: Database, now: () => number = Date.now) {
  const listValid = (query: Kysely<Tables>) =>
    query
      .selectFrom('setupCodes')
      .selectAll()
      .where('expiresAtMs', '>', now())
      .where('wrongTries', '<', MAX_WRONG_TRIES)
      .execute();

  return {
    /** Creates a code, in place of all earlier ones or in addition to those of other machines. @returns groups of hexadecimal digits */
    async make({ replace }: { readonly replace: boolean }): Promise<string> {
      const code = randomBytes(CODE_BYTES)
        .toString('hex')
        .replaceAll(/.{4}(?=.)/g, '$&-');
      const row = { codeHash: hashOf(code), expiresAtMs: now() + SETUP_CODE_MINUTES * 60_000 };
      await database.change({}, async (query) => {
        const old = query.deleteFrom('setupCodes');
        await (replace ? old : old.where('expiresAtMs', '<=', now())).execute();
        await query.insertInto('setupCodes').values(row).execute();
      });
      return code;
    },
    /** Whether any code would be accepted now. */
    isOpen: async (): Promise<boolean> => (await listValid(database.query)).length > 0,
    /**
     * Compares and counts in one transaction, so that concurrent tries count too.
     *
     * @returns whether the code is right, and how many tries remain; null if no code is valid any more
     */
    check: (code: string): Promise<{ readonly isRight: boolean; readonly triesLeft: number | null }> =>
      database.change({}, async (query) => {
        const rows = await listValid(query);
        if (rows.length === 0) return { isRight: false, triesLeft: null };
        const given = Buffer.from(hashOf(code));
        // All are compared, each in constant time.
        const isRight = rows.filter(({ codeHash }) => timingSafeEqual(Buffer.from(codeHash), given)).length > 0;
        const triesLeft = MAX_WRONG_TRIES - Math.min(MAX_WRONG_TRIES, ...rows.map(({ wrongTries }) => wrongTries));
        if (isRight) return { isRight, triesLeft };
        await query
          .updateTable('setupCodes')
          .set(({ eb }) => ({ wrongTries: eb('wrongTries', '+', 1) }))
          .execute();
        return { isRight, triesLeft: triesLeft - 1 };
      }),
    /**
     * Uses a code: deletes all codes, in the transaction of the caller.
     *
     * @returns false if it is no longer valid; the caller must then do nothing
     */
    async use(query: Kysely<Tables>, code: string): Promise<boolean> {
      const hash = hashOf(code);
      if (!(await listValid(query)).some(({ codeHash }) => codeHash === hash)) return false;
      await query.deleteFrom('setupCodes').execute();
      return true;
    },
  };
}

/** Whether nobody has set this server up or used it yet: there are no saved settings, no accounts and no accepted terms. */
export async function isNew(database: Pick<Database, 'query'>): Promise<boolean> {
  for (const table of ['settings', 'accounts', 'termsAcceptances'] as const) {
    const rows = await database.query
      .selectFrom(table)
      .select(({ lit }) => lit(1).as('one'))
      .limit(1)
      .execute();
    if (rows.length > 0) return false;
  }
  return true;
}

/** Text for the terminal. @param origin URL of the server */
export const setupInvitation = (origin: string, code: string): string =>
  `To set up this server, open ${origin}/setup within ${SETUP_CODE_MINUTES} minutes, on this machine or over https, and enter the code\n  ${code}\n`;
