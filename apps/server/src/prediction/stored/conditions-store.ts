import type { Analysis } from '@chiffchaff/analysis';
import type { PredictionFields } from '@chiffchaff/contract';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { list, listed } from './listing.ts';
import { requireAnswer } from './prediction-store.ts';

type Answer = Omit<Selectable<Tables['firstAnswers']>, 'predictionId'>;

/** Answers under other conditions. The newest one is the answer everywhere; the first one is kept beside it. */
export function createConditionsStore({ query, change, expressions }: Database) {
  /** @param next undefined if the answer stays */
  const put = (
    accountId: string,
    id: string,
    next: (transaction: Kysely<Tables>) => Promise<Answer | undefined>,
  ): Promise<void> =>
    change({}, async (transaction) => {
      await requireAnswer(transaction, accountId, id);
      const answer = await next(transaction);
      if (answer === undefined) return;
      await transaction
        .updateTable('predictions')
        .set(({ eb }) => ({ ...answer, revision: eb('revision', '+', 1) }))
        .where('id', '=', id)
        .execute();
      await list(transaction, expressions, id);
    });

  return {
    /** Whether the conditions have been changed since the first answer. */
    async areChanged(id: string): Promise<boolean> {
      const first = query.selectFrom('firstAnswers').select('predictionId').where('predictionId', '=', id);
      return (await first.executeTakeFirst()) !== undefined;
    },

    /** @throws HttpProblem NOT_FOUND when the prediction has been deleted: then nothing is stored */
    replace: (accountId: string, id: string, { answer, prediction, species }: Analysis, fields: PredictionFields) =>
      put(accountId, id, async (transaction) => {
        await transaction
          .insertInto('firstAnswers')
          .columns(['predictionId', 'answer', 'fields', 'summary'])
          .expression(({ selectFrom }) =>
            selectFrom('predictions')
              .select(({ ref }) => [
                'id',
                ref('answer').$notNull().as('answer'),
                'fields',
                ref('summary').$notNull().as('summary'),
              ])
              .where('id', '=', id),
          )
          .onConflict((known) => known.column('predictionId').doNothing())
          .execute();
        return { answer, fields: JSON.stringify(fields), summary: listed(prediction, species).summary };
      }),

    /** Makes the first answer the answer again. Idempotent. @throws HttpProblem NOT_FOUND when the prediction has been deleted */
    restoreFirst: (accountId: string, id: string) =>
      put(accountId, id, (transaction) =>
        transaction
          .deleteFrom('firstAnswers')
          .where('predictionId', '=', id)
          .returning(['answer', 'fields', 'summary'])
          .executeTakeFirst(),
      ),
  };
}
