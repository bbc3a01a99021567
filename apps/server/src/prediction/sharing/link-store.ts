import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Of } from '@chiffchaff/acquire';
import { type Link, MOST_LINKS } from '@chiffchaff/contract';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { StoredRow } from '../stored/prediction-store.ts';

/** What a link leads to. */
export interface SharedRow extends StoredRow {
  readonly accountId: string;
  readonly sound: boolean;
  /** Differs after each change of the conditions, and after each review. */
  readonly revision: string;
}

/** What a new link shows. */
const TOKEN_BYTES = 16;
/** 128 random bits as text, whose hash needs neither salt nor time. Anything else is not looked up. */
const TOKEN = /^[\w-]{22}$/;

export type LinkStore = ReturnType<typeof createLinkStore>;

/**
 * Links to results. A link is valid while its row exists, its prediction is not deleted, and its account is neither deleted nor disabled.
 * Each use checks this, so a link ends immediately on every machine, and works again when a deletion is undone. Its row is deleted with that
 * of its prediction.
 */
export function createLinkStore({ query, change, expressions }: Database, now: () => number = Date.now) {
  const shown = () =>
    query
      .selectFrom('predictionLinks')
      .innerJoin('predictions', 'predictions.id', 'predictionLinks.predictionId')
      .where('predictions.deletedAtMs', 'is', null)
      .where('predictions.state', '=', 'done');

  async function ofAccount(accountId: string): Promise<Link[]> {
    const rows = await shown()
      .select(['predictionLinks.id', 'predictionId', 'predictionLinks.createdAtMs', 'sound', 'fileName'])
      .where('predictionLinks.accountId', '=', accountId)
      .orderBy('predictionLinks.createdAtMs', 'desc')
      .orderBy('predictionLinks.id')
      .execute();
    const ids = rows.map(({ predictionId }) => predictionId);
    const birds = await query
      .selectFrom('predictionSpecies')
      .select(['predictionId', 'commonName'])
      .where(expressions.isOneOf('predictionId', ids))
      .orderBy('confidence', 'desc')
      .execute();
    return rows.map(({ id, predictionId, createdAtMs, sound, fileName }) => ({
      id,
      predictionId,
      createdAt: new Date(createdAtMs).toISOString(),
      sound: sound === 1,
      fileName,
      commonNames: birds.filter((bird) => bird.predictionId === predictionId).map(({ commonName }) => commonName),
    }));
  }

  return {
    ofAccount,

    /** null for a link that never existed or has ended */
    async find(token: string): Promise<SharedRow | null> {
      if (!TOKEN.test(token)) return null;
      const row = await shown()
        // Accounts of an external service have no row here.
        .leftJoin('accounts', 'accounts.id', 'predictionLinks.accountId')
        .select(['predictions.id', 'predictionLinks.accountId', 'sound', 'revision'])
        .select(({ selectFrom }) =>
          selectFrom('predictionReviews')
            .select(({ fn }) => fn.max('sequence').as('latest'))
            .whereRef('predictionReviews.predictionId', '=', 'predictions.id')
            .as('latestReview'),
        )
        .select(sql<number>`length(${sql.ref('predictions.answer')})`.as('answerBytes'))
        .where('tokenHash', '=', sha256Of(token))
        .where((of) => of.or([of('accounts.disabled', 'is', null), of('accounts.disabled', '=', 0)]))
        .executeTakeFirst();
      if (row === undefined) return null;
      const { latestReview, ...shared } = row;
      return { ...shared, sound: row.sound === 1, revision: `${row.revision} ${latestReview ?? 0}` };
    },

    /** @returns the token, which cannot be read again. @throws HttpProblem TOO_MANY_LINKS */
    async add(
      accountId: string,
      { predictionId, sound }: { predictionId: string; sound: boolean },
    ): Promise<{ id: string; token: string }> {
      const id = randomUUID();
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      await change({}, async (transaction) => {
        const { count } = await transaction
          .selectFrom('predictionLinks')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('accountId', '=', accountId)
          .executeTakeFirstOrThrow();
        if (count >= MOST_LINKS) throw new HttpProblem('TOO_MANY_LINKS', { most: MOST_LINKS });
        await transaction
          .insertInto('predictionLinks')
          .values({ id, tokenHash: sha256Of(token), accountId, predictionId, createdAtMs: now(), sound: sound ? 1 : 0 })
          .execute();
      });
      return { id, token };
    },

    /** Revokes a link for good. @returns whether the account had it */
    async revoke(accountId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await change({ freesRoom: true }, (step) =>
        step.deleteFrom('predictionLinks').where('accountId', '=', accountId).where('id', '=', id).executeTakeFirst(),
      );
      return numDeletedRows > 0n;
    },
  };
}
