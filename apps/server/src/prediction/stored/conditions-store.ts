import type { Analysis } from '@chiffchaff/analysis';
import type { PredictionFields } from '@chiffchaff/contract';
import type { Database } from '../../database/database.ts';
import { answered, listed } from './prediction-store.ts';
import type { ReviewStore } from './review-store.ts';

/** Answers under other conditions. The newest one is the answer everywhere; the first one is kept beside it. */
export function createConditionsStore(
  { query, change }: Pick<Database, 'query' | 'change'>,
  reviews: Pick<ReviewStore, 'listAgain'>,
) {
  return {
    /** The request that a stored prediction answers; null without one. */
    async fieldsOf(accountId: string, id: string): Promise<PredictionFields | null> {
      const row = await answered(query, accountId, id).select('fields').executeTakeFirst();
      return row === undefined ? null : (JSON.parse(row.fields) as PredictionFields);
    },

    /** Whether the conditions have been changed since the first answer. */
    async areChanged(id: string): Promise<boolean> {
      return (
        (await query.selectFrom('firstAnswers').select('predictionId').where('predictionId', '=', id).executeTakeFirst()) !==
        undefined
      );
    },

    /** @returns false when the prediction has been deleted: then nothing is stored */
    replace: (
      accountId: string,
      id: string,
      { answer, prediction, species }: Analysis,
      fields: PredictionFields,
    ): Promise<boolean> =>
      change({}, async (transaction) => {
        const found = await answered(transaction, accountId, id).select('fileName').executeTakeFirst();
        if (found === undefined) return false;
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
        const { summary } = listed(prediction, species);
        await transaction
          .updateTable('predictions')
          .set(({ eb }) => ({ answer, summary, fields: JSON.stringify(fields), revision: eb('revision', '+', 1) }))
          .where('id', '=', id)
          .execute();
        await reviews.listAgain(transaction, { id, fileName: found.fileName, summary });
        return true;
      }),

    /** Makes the first answer the answer again. Idempotent. @returns false when the prediction has been deleted */
    restoreFirst: (accountId: string, id: string): Promise<boolean> =>
      change({}, async (transaction) => {
        const found = await answered(transaction, accountId, id).select('fileName').executeTakeFirst();
        if (found === undefined) return false;
        const first = await transaction
          .selectFrom('firstAnswers')
          .select(['answer', 'fields', 'summary'])
          .where('predictionId', '=', id)
          .executeTakeFirst();
        if (first === undefined) return true;
        const { answer, fields, summary } = first;
        await transaction
          .updateTable('predictions')
          .set(({ eb }) => ({ answer, fields, summary, revision: eb('revision', '+', 1) }))
          .where('id', '=', id)
          .execute();
        await transaction.deleteFrom('firstAnswers').where('predictionId', '=', id).execute();
        await reviews.listAgain(transaction, { id, fileName: found.fileName, summary });
        return true;
      }),
  };
}
