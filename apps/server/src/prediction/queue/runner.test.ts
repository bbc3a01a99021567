import { AnalysisInterrupted, PredictionError } from '@chiffchaff/analysis';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Job } from './job.ts';
import { createRunner, type RunEnd } from './runner.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A running analysis. After `getOn`, it saves a checkpoint when interrupted. */
interface Run {
  readonly name: string;
  getOn(): void;
  save(): void;
  /** When it is interrupted, it turns out that the analysis process has just died. */
  dieWhenInterrupted(): void;
  end(): void;
}

/** A runner whose analysis process is the test. */
function openRunner({ running = 4, failFails = 0 } = {}) {
  const runs = new Map<string, Run & { readonly die: () => void; readonly lackModel: () => void }>();
  const began: string[] = [];
  const attempts: number[] = [];
  let failuresLeft = failFails;

  function analyze({ path }: { path: string }, { signal, checkpoint }: AnalyzeOptions): Promise<never> {
    return new Promise((_resolve, reject) => {
      let gotOn = false;
      let hasDied = false;
      const leave = (reason: unknown) => {
        runs.delete(path);
        reject(reason);
      };
      signal.addEventListener('abort', () => {
        if (gotOn) checkpoint.onSaved();
        leave(hasDied ? new AnalysisInterrupted(false) : signal.reason);
      });
      began.push(path);
      runs.set(path, {
        name: path,
        getOn: () => {
          gotOn = true;
        },
        save: checkpoint.onSaved,
        dieWhenInterrupted: () => {
          hasDied = true;
        },
        end: () => leave(new Error('a fault of the recording')),
        die: () => leave(new AnalysisInterrupted(false)),
        lackModel: () => leave(new PredictionError('MODEL_DAMAGED', {})),
      });
    });
  }
  const disposable = { async [Symbol.asyncDispose]() {} };
  const parts = {
    modelLoader: { get: async () => ({ analyze }), lookNow: async () => {} },
    uploads: {
      open: async (path: string) => ({ path, ...disposable }),
      openCheckpoint: async (path: string) => ({ path, save() {}, ...disposable }),
      remove: async () => {},
    },
    jobs: {
      setAttempts: async (_id: string, count: number) => void attempts.push(count),
      async fail() {
        failuresLeft -= 1;
        if (failuresLeft >= 0) throw new Error('the disk is gone');
        return true;
      },
    },
    counts: { countFailure() {} },
    sounds: {},
    log: pino({ level: 'silent' }),
  } as unknown as Omit<Parameters<typeof createRunner>[0], 'running' | 'onRoom' | 'outlives'>;
  const runner = createRunner({ ...parts, running, onRoom: () => {}, outlives: () => true });

  return {
    runner,
    began,
    attempts,
    running: () => [...runs.keys()].sort(),
    /** @returns the outcome, once it is known */
    take(name: string, accountId = 'ann', more: Partial<Job> = {}): { found?: RunEnd } {
      const job = {
        id: name,
        uploadName: name,
        accountId,
        network: null,
        bytes: 1,
        attempts: 0,
        createdAtMs: 0,
        fields: {},
        ...more,
      };
      const result: { found?: RunEnd } = {};
      void runner
        .take(job as unknown as Job, () => {})
        .then((found) => {
          result.found = found;
        });
      return result;
    },
    run(name: string) {
      const run = runs.get(name);
      if (run === undefined) throw new Error(`${name} is not analysed`);
      return run;
    },
    /** The analysis process dies, with all its runs. */
    die() {
      for (const run of [...runs.values()]) run.die();
    },
    pass: (milliseconds = 10) => vi.advanceTimersByTimeAsync(milliseconds),
  };
}

type AnalyzeOptions = { readonly signal: AbortSignal; readonly checkpoint: { readonly onSaved: () => void } };

describe('The queue, when the analysis process has died twice,', () => {
  async function openSuspects() {
    const opened = openRunner();
    for (const name of ['a', 'b', 'c']) opened.take(name);
    await opened.pass();
    for (let death = 0; death < 2; death += 1) {
      opened.die();
      await opened.pass();
    }
    return opened;
  }

  it('runs one suspect alone, and admits other jobs as soon as the suspect has made progress', async () => {
    const { pass, running, run, take } = await openSuspects();
    expect(running()).toEqual(['a']);
    take('other', 'bob');
    await pass();
    expect(running()).toEqual(['a']);
    run('a').save();
    await pass();
    expect(running()).toEqual(['a', 'other']);
  });

  it('gives suspects and other jobs turns, so that no job waits for the end of another', async () => {
    const { pass, running, run, take } = await openSuspects();
    take('other', 'bob');
    run('a').getOn();
    // Its time is up, and it is no longer a suspect.
    await pass(5_000);
    expect(running()).toEqual(['a', 'other']);
    run('a').getOn();
    run('other').getOn();
    await pass(10_000);
    expect(running()).toEqual(['b']);
    run('b').getOn();
    await pass(5_000);
    expect(running()).toEqual(['a', 'b', 'other']);
  });

  it('gives a suspect without progress more time in its next turn', async () => {
    const { pass, running, take } = await openSuspects();
    take('other', 'bob');
    await pass(5_000);
    expect(running()).toEqual(['other']);
    for (const suspect of ['b', 'c']) {
      await pass(10_000);
      expect(running()).toEqual([suspect]);
      await pass(5_000);
      expect(running()).toEqual(['other']);
    }
    await pass(10_000);
    expect(running()).toEqual(['a']);
    await pass(9_000);
    expect(running()).toEqual(['a']);
    await pass(1_000);
    expect(running()).toEqual(['other']);
  });

  it('counts only deaths while a suspect ran alone without progress, and runs other jobs in between', async () => {
    const { pass, die, attempts, running, take } = await openSuspects();
    const other = take('other', 'bob');
    die();
    await pass();
    expect(attempts).toEqual([1]);
    expect(running()).toEqual(['other']);
    expect(other.found).toBeUndefined();
  });

  it('gives up a recording at its third certain death, even if its time was up in that moment', async () => {
    const { pass, take, run, began, attempts } = openRunner();
    const result = take('a', 'ann', { attempts: 2 });
    await pass();
    run('a').dieWhenInterrupted();
    await pass(5_000);
    expect(attempts).toEqual([3]);
    expect(result.found).toMatchObject({ state: 'failed', problem: { code: 'ANALYSIS_ABANDONED', details: { attempts: 3 } } });
    expect(began).toEqual(['a']);
  });
});

describe('The queue', () => {
  /** Takes two jobs of one account, then as many of other accounts as can be open, and one more. */
  async function fillSlots({ take, pass }: Pick<ReturnType<typeof openRunner>, 'take' | 'pass'>) {
    const [first, second] = ['a', 'b'].map((name) => take(name));
    for (const owner of ['bob', 'cat', 'dan', 'eve']) {
      // Until the others have lasted, no more than usual are open.
      await pass(2_000);
      take(`of ${owner}`, owner);
    }
    await pass();
    take('of fay', 'fay');
    return { first, second };
  }

  it('lets a job of the account with the most running jobs give way, which does not count as a failure', async () => {
    const opened = openRunner({ running: 2 });
    const { first, second } = await fillSlots(opened);
    await opened.pass();
    expect(opened.running()).toEqual(['a', 'of bob', 'of cat', 'of dan', 'of eve', 'of fay']);
    expect(first?.found).toBeUndefined();
    expect(second?.found).toBe('gaveWay');
    expect(opened.attempts).toEqual([]);
  });

  it('ends a job as cancelled if it is cancelled while giving way', async () => {
    const opened = openRunner({ running: 2 });
    const { second } = await fillSlots(opened);
    opened.runner.stop('b');
    await opened.pass();
    expect(second?.found).toMatchObject({ state: 'failed', problem: { code: 'PREDICTION_CANCELLED' } });
  });

  it('lets a job wait again if the model is found damaged when the analysis process is restarted', async () => {
    const { pass, take, run } = openRunner();
    const result = take('a');
    await pass();
    run('a').lackModel();
    await pass();
    expect(result.found).toBe('gaveWay');
  });

  it('analyses a recording again if its failure could not be stored, and reports the failure only once it is stored', async () => {
    const { pass, take, run, began } = openRunner({ failFails: 1 });
    const result = take('a');
    await pass();
    run('a').end();
    await pass();
    expect(result.found).toBeUndefined();
    await pass(5_000);
    expect(began).toEqual(['a', 'a']);
    run('a').end();
    await pass();
    expect(result.found).toMatchObject({ state: 'failed', problem: { code: 'INTERNAL' } });
  });
});
