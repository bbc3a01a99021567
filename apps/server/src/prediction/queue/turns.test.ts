import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTurns, takerOf } from './turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const small = (accountId: string | null, network: string | null = null, id = 'any') => ({ id, accountId, network, bytes: 1 });
const large = (accountId: string) => ({ ...small(accountId), bytes: 1e9 });

/** Turns that record who was asked to give way; the slot is left immediately then. */
function openTurns(count: number) {
  const onFree = vi.fn();
  const gaveWay: (string | null)[] = [];
  const turns = createTurns({ count, onFree });
  return {
    ...turns,
    onFree,
    gaveWay,
    /** @returns its slot */
    begin(job: ReturnType<typeof small>) {
      const slot = turns.enter(job, () => {
        gaveWay.push(job.accountId);
        slot.leave();
      });
      vi.advanceTimersByTime(1);
      return slot;
    },
    /** Takes a slot for long. */
    beginLong(job: ReturnType<typeof small>) {
      this.begin(job);
      vi.advanceTimersByTime(2_000);
    },
  };
}

describe('The slots for jobs', () => {
  it('hold as many jobs of one owner as there are slots, and three times as many jobs of several owners if they last', () => {
    const turns = openTurns(2);
    const { begin, hasRoom, onFree } = turns;
    const first = begin(small('ann'));
    turns.beginLong(small('ann'));
    expect(hasRoom(small('ann'))).toBe(false);
    for (const owner of ['bob', 'cat', 'dan', 'eve']) {
      expect(hasRoom(small(owner))).toBe(true);
      turns.beginLong(small(owner));
    }
    expect(hasRoom(small('fay'))).toBe(false);
    onFree.mockClear();
    first.leave();
    expect(onFree).toHaveBeenCalledTimes(1);
    expect(hasRoom(small('ann'))).toBe(false);
    expect(hasRoom(small('fay'))).toBe(true);
  });

  it('are not more than usual while jobs are short, and become more once one has lasted two seconds', () => {
    const { begin, hasRoom, onFree } = openTurns(2);
    for (const owner of ['ann', 'bob']) begin(small(owner));
    expect(hasRoom(small('cat'))).toBe(false);
    expect(onFree).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(onFree).toHaveBeenCalled();
    expect(hasRoom(small('cat'))).toBe(true);
    begin(small('cat')).leave();
    onFree.mockClear();
    vi.advanceTimersByTime(2_000);
    expect(onFree).not.toHaveBeenCalled();
  });

  it('go to an owner’s small recording at once while large ones of the same owner are analysed', () => {
    const turns = openTurns(2);
    const { hasRoom } = turns;
    for (let n = 0; n < 2; n += 1) turns.beginLong(large('ann'));
    expect(hasRoom(large('ann'))).toBe(false);
    expect(hasRoom(small('ann'))).toBe(true);
    expect([8_000_000, 8_000_001].map((bytes) => takerOf({ ...small('ann'), bytes }))).toEqual([
      'account ann small',
      'account ann large',
    ]);
  });

  it('go to the owner with the fewest jobs, until all owners that wait have as many', () => {
    const turns = openTurns(1);
    const { hasRoom, makeRoom, gaveWay, held } = turns;
    for (let n = 0; n < 3; n += 1) turns.beginLong(small('ann'));
    for (let n = 0; n < 3; n += 1) {
      if (!hasRoom(small('bob'))) makeRoom(small('bob'));
      if (hasRoom(small('bob'))) turns.beginLong(small('bob'));
    }
    expect(gaveWay).toEqual(['ann']);
    makeRoom(small('ann'));
    expect(gaveWay).toEqual(['ann']);
    expect(held()).toEqual([2, 1]);
  });

  it('let only one job at a time give way', () => {
    const { enter, makeRoom } = createTurns({ count: 1, onFree: () => {} });
    const giveWay = vi.fn();
    for (let n = 0; n < 3; n += 1) enter(small('ann'), giveWay);
    for (let n = 0; n < 3; n += 1) makeRoom(small('bob'));
    expect(giveWay).toHaveBeenCalledTimes(1);
  });

  it('pass to an owner without a running job after two minutes if all other owners have only one', () => {
    const { begin, makeRoom, gaveWay } = openTurns(1);
    for (const owner of ['ann', 'bob', 'cat']) begin(small(owner));
    makeRoom(small('eve'));
    expect(gaveWay).toEqual([]);
    vi.advanceTimersByTime(121_000);
    makeRoom(small('cat'));
    expect(gaveWay).toEqual([]);
    makeRoom(small('eve'));
    expect(gaveWay).toEqual(['cat']);
  });

  it('leave a quarter to other networks, however many accounts one network has', () => {
    const { begin, makeRoom, gaveWay } = openTurns(4);
    for (let n = 0; n < 12; n += 1) begin(small(`pupil ${n}`, '192.0.2.1'));
    makeRoom(small('pupil 12', '192.0.2.1'));
    expect(gaveWay).toEqual([]);
    for (let n = 0; n < 4; n += 1) {
      makeRoom(small('eve', '198.51.100.1'));
      begin(small('eve', '198.51.100.1'));
    }
    expect(gaveWay).toEqual(['pupil 11', 'pupil 10', 'pupil 9']);
  });

  it('report the owners whose further jobs would have to wait', () => {
    const { begin, full } = openTurns(2);
    expect(full()).toEqual([]);
    for (let n = 0; n < 2; n += 1) begin(small('ann'));
    expect(full()).toEqual(['account ann small']);
    for (const owner of ['bob', 'cat', 'dan', 'eve']) begin(small(owner));
    expect(full()).toContain('account bob small');
    const others = openTurns(1);
    for (const owner of ['bob', 'cat', 'dan']) others.begin(small(owner));
    expect(others.full()).toBeNull();
  });

  it('are counted for the network of a job without an account, or for the job itself if it has no network', () => {
    const { enter, held } = createTurns({ count: 4, onFree: () => {} });
    for (const id of ['a', 'b']) enter(small(null, '192.0.2.1', id), () => {});
    for (const id of ['c', 'd']) enter(small(null, null, id), () => {});
    expect(held()).toEqual([2, 1, 1]);
  });
});

describe('The order of waiting jobs', () => {
  const job = (accountId: string | null, createdAtMs: number) => ({ ...small(accountId, null, `${createdAtMs}`), createdAtMs });
  type Waiting = ReturnType<typeof job>;
  const owners = (jobs: readonly Waiting[]) => jobs.map(({ accountId }) => accountId);

  /** Takes jobs one after another, one per millisecond from 100 on. */
  function takeAll(jobs: readonly Waiting[]): string[] {
    vi.setSystemTime(100);
    const { begin, order } = openTurns(1);
    let waiting = [...jobs];
    const taken: string[] = [];
    while (waiting.length > 0) {
      const [next] = order(waiting);
      if (next === undefined) break;
      waiting = waiting.filter((one) => one !== next);
      begin(next).leave();
      taken.push(`${next.accountId ?? 'nobody'} ${next.createdAtMs}`);
    }
    return taken;
  }

  it('lets accounts take turns, however many jobs an account has sent before', () => {
    const jobs = [job('ann', 1), job('ann', 2), job('ann', 3), job('ann', 4), job('bob', 5), job('bob', 6)];
    expect(takeAll(jobs)).toEqual(['ann 1', 'bob 5', 'ann 2', 'bob 6', 'ann 3', 'ann 4']);
  });

  it('begins with the oldest job if no account has more than one', () => {
    expect(takeAll([job('ann', 1), job(null, 2), job('bob', 3), job(null, 4)])).toEqual([
      'ann 1',
      'nobody 2',
      'bob 3',
      'nobody 4',
    ]);
  });

  it('puts a new account behind one that has waited longer since its last turn', () => {
    vi.setSystemTime(100);
    const { begin, order } = openTurns(1);
    begin(job('ann', 0)).leave();
    expect(owners(order([job('ann', 1), job('bob', 150)]))).toEqual(['ann', 'bob']);
  });

  it('begins with jobs of owners that have the fewest running', () => {
    const { begin, order } = openTurns(4);
    for (const owner of ['ann', 'ann', 'cat']) begin(small(owner));
    expect(owners(order([job('ann', 1), job('cat', 2), job('bob', 3)]))).toEqual(['bob', 'cat', 'ann']);
  });

  it('puts an owner that had a turn behind one whose job has waited since before, even if its own next job was sent earlier', () => {
    vi.setSystemTime(100);
    const { begin, order } = openTurns(1);
    begin(job('ann', 0)).leave();
    order([job('bob', 150), job('ann', 1)]);
    expect(owners(order([job('ann', 1), job('bob', 50)]))).toEqual(['bob', 'ann']);
  });
});
