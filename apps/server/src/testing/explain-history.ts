import type { Database } from '../database/database.ts';
import { createPredictionStore } from '../prediction/stored/prediction-store.ts';
import { createExplained } from './explained.ts';

const NAMES = new Map([['Turdus merula', 'Amsel']]);

/** The database's plans for what a person asks of a history, as lines. */
export async function explainHistory(database: Database, accountId: string) {
  const explained = createExplained(database);
  const store = createPredictionStore(explained.database);
  const { cursor } = await store.list(accountId, { limit: 20 });
  await explained.plans();
  const plansOf = async (ask: Promise<unknown>): Promise<readonly string[]> => {
    await ask;
    return explained.plans();
  };
  return {
    list: await plansOf(store.list(accountId, { limit: 20 })),
    nextPage: await plansOf(store.list(accountId, { limit: 20, cursor: cursor ?? '' })),
    search: await plansOf(store.list(accountId, { limit: 20, search: 'amsel' }, NAMES)),
    bird: await plansOf(store.list(accountId, { limit: 20, species: 'Parus major' })),
    month: await plansOf(store.list(accountId, { limit: 20, from: '2020-05-01', to: '2020-05-31' })),
    place: await plansOf(store.list(accountId, { limit: 20, latitude: 10, longitude: 10 })),
    days: await plansOf(store.days(accountId)),
    species: await plansOf(store.species(accountId)),
  };
}
