import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeCredentials } from './identity/accounts/account-changes.ts';
import { insertAccount, newAccount } from './identity/accounts/account-store.ts';
import { createSessions } from './identity/accounts/sessions.ts';
import { createSignOuts } from './identity/accounts/sign-outs.ts';
import { createCode, useCode } from './identity/codes/one-time-codes.ts';
import { createSoundStore, type KeptSound } from './prediction/audio/sound-store.ts';
import { createJobStore } from './prediction/queue/job-store.ts';
import { createPredictionStore } from './prediction/stored/prediction-store.ts';
import { isPostgresInstalled } from './testing/start-postgres.ts';
import { openTwoMachines, type TwoMachines } from './testing/two-machines.ts';

const TIMES = 10;
const now = Date.now;

/** Operations that must not succeed on two machines at the same time, each tried several times. */
describe.skipIf(!isPostgresInstalled())('With two machines at the same time (needs Debian’s postgresql),', () => {
  let machines: TwoMachines;
  beforeAll(async () => {
    machines = await openTwoMachines();
  });
  afterAll(() => machines.close());

  /** @returns the outcomes of both machines, for each try */
  async function race<T>(prepare: () => Promise<T>, run: (machine: TwoMachines['here'], prepared: T) => Promise<unknown>) {
    const outcomes: PromiseSettledResult<unknown>[][] = [];
    for (let count = 0; count < TIMES; count += 1) {
      const prepared = await prepare();
      outcomes.push(await Promise.allSettled([run(machines.here, prepared), run(machines.there, prepared)]));
    }
    return outcomes;
  }
  const fulfilled = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
    outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));

  const account = (email = `${randomUUID()}@example.org`) =>
    newAccount({ email, displayName: null, passwordHash: 'hash', nowMs: now() });
  const added = async () => {
    const one = account();
    await insertAccount(machines.here.query, one);
    return one;
  };
  const sessions = createSessions({ projectId: 'p', idleDays: 1, signOuts: createSignOuts() });

  it('one email address is signed up once', async () => {
    const outcomes = await race(
      async () => `${randomUUID()}@example.org`,
      (machine, email) => machine.change({}, (query) => insertAccount(query, account(email))),
    );
    for (const each of outcomes) expect(fulfilled(each).sort()).toEqual([false, true]);
  });

  it('a mailed code is used once', async () => {
    const outcomes = await race(
      async () => createCode(machines.here.query, await added(), 'PASSWORD_RESET'),
      (machine, code) => machine.change({}, (query) => useCode(query, code)),
    );
    for (const each of outcomes) {
      expect(each.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(each).toContainEqual(expect.objectContaining({ reason: expect.objectContaining({ code: 'INVALID_OOB_CODE' }) }));
    }
  });

  it('two accounts cannot change to one email address', async () => {
    const outcomes = await race(
      async () => ({ email: `${randomUUID()}@example.org`, ids: [(await added()).id, (await added()).id] }),
      (machine, { email, ids }) => {
        const id = ids[machine === machines.here ? 0 : 1] ?? '';
        return machine.change({}, (query) => changeCredentials(query, { sessions }, id, { email }, 'emailChanged'));
      },
    );
    for (const each of outcomes) {
      expect(each.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(each).toContainEqual(expect.objectContaining({ reason: expect.objectContaining({ code: 'EMAIL_EXISTS' }) }));
    }
  });

  const arrived = (accountId: string, idempotencyKey: string) => {
    const id = randomUUID();
    const sender = { accountId, network: '' };
    const pending = { id, accountId, sender, idempotencyKey, apiTokenId: null, uploadName: id, refusal: null };
    return { pending, upload: { fileName: 'a.wav', sha256: 'abc', bytes: 1, path: '', fields: {} }, fields: {} };
  };

  it('one idempotency key makes one job, and both callers get its id', async () => {
    const outcomes = await race(
      async () => randomUUID(),
      async (machine, key) => {
        const accepted = await createJobStore(machine).accept(arrived('walker', key));
        return 'job' in accepted ? accepted.job.id : accepted.known;
      },
    );
    for (const each of outcomes) {
      const ids = fulfilled(each);
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
    }
  });

  it('a restored prediction does not take the idempotency key of a newer one', async () => {
    const outcomes = await race(
      async () => {
        const key = randomUUID();
        const accepted = await createJobStore(machines.here).accept(arrived('walker', key));
        const id = 'job' in accepted ? accepted.job.id : '';
        await machines.here.query
          .updateTable('predictions')
          .set({ state: 'done', deletedAtMs: now() })
          .where('id', '=', id)
          .execute();
        return { key, id };
      },
      async (machine, { key, id }) =>
        machine === machines.here
          ? createPredictionStore(machine).restore('walker', id, 0)
          : createJobStore(machine).accept(arrived('walker', key)),
    );
    for (const each of outcomes) expect(fulfilled(each)).toHaveLength(2);
  });

  it('the audio of a recording is kept once', async () => {
    const outcomes = await race(
      async () => randomUUID(),
      async (machine, predictionId) => {
        const sound: KeptSound = {
          ...{ id: randomUUID(), accountId: 'walker', predictionId, createdAtMs: now(), recordingUntilMs: now() + 1000 },
          ...{
            momentsUntilMs: null,
            moments: [],
            durationSeconds: 1,
            channels: 1,
            asSentType: null,
            preparedAtMs: null,
            preparingUntilMs: null,
          },
        };
        return (await createSoundStore(machine).add(sound)).id;
      },
    );
    for (const each of outcomes) expect(new Set(fulfilled(each)).size).toBe(1);
  });
});
