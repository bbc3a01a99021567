import { randomUUID } from 'node:crypto';
import { HttpProblem } from '../http/http-problem.ts';
import type { JobProblem } from './jobs/job.ts';

/** A recording whose body is being received. */
export interface Arrival {
  /** the id that the prediction will have, unless the key stands for one already */
  readonly id: string;
  readonly accountId: string | null;
  /** null where no account is there to own it */
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  /** Aborts when its owner cancels it. */
  readonly signal: AbortSignal;
  /** The prediction that it has become, or why it has become none. */
  readonly become: Promise<{ readonly id: string } | { readonly problem: JobProblem }>;
  end(become: { readonly id: string } | { readonly problem: JobProblem }): void;
  cancel(): void;
}

/** What is being received now: people ask after it by its idempotency key before there is a prediction. */
export interface Arrivals {
  begin(accountId: string | null, idempotencyKey: string | null): Arrival;
  find(accountId: string, idOrKey: string): Arrival | null;
  ofAccount(accountId: string): readonly Arrival[];
}

export function createArrivals(): Arrivals {
  const arrivals = new Set<Arrival>();
  const ofAccount = (accountId: string): readonly Arrival[] => [...arrivals].filter((arrival) => arrival.accountId === accountId);

  return {
    begin(accountId, idempotencyKey) {
      const controller = new AbortController();
      const { promise, resolve } = Promise.withResolvers<Awaited<Arrival['become']>>();
      const arrival: Arrival = {
        id: randomUUID(),
        accountId,
        idempotencyKey: accountId === null ? null : idempotencyKey,
        createdAtMs: Date.now(),
        signal: controller.signal,
        become: promise,
        end(become) {
          arrivals.delete(arrival);
          resolve(become);
        },
        cancel: () => controller.abort(new HttpProblem('PREDICTION_CANCELLED', {})),
      };
      arrivals.add(arrival);
      return arrival;
    },
    find: (accountId, idOrKey) =>
      ofAccount(accountId).find(({ id, idempotencyKey }) => id === idOrKey || idempotencyKey === idOrKey) ?? null,
    ofAccount,
  };
}
