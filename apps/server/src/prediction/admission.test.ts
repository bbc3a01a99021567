import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../http/http-problem.ts';
import { createAdmission } from './admission.ts';

let people = 0;
/** Somebody else each time. */
const somebody = () => {
  people += 1;
  return { accountId: `account ${people}`, network: '192.0.2.1' };
};

describe('admission', () => {
  it('has no more seats than may run and wait, and a seat that was left is free again, once', () => {
    const admission = createAdmission({ running: 1, waiting: 1 });
    const seat = admission.takeSeat(somebody());
    admission.takeSeat(somebody());
    expect(() => admission.takeSeat(somebody())).toThrow(HttpProblem);
    seat.leave();
    seat.leave();
    admission.takeSeat(somebody());
    expect(() => admission.takeSeat(somebody())).toThrow('SERVER_BUSY');
  });

  it('makes room for work that was accepted before, at the cost of new work', () => {
    const admission = createAdmission({ running: 1, waiting: 0 });
    const seats = [admission.takeSeatAnyway(null), admission.takeSeatAnyway(null)];
    expect(() => admission.takeSeat(somebody())).toThrow('SERVER_BUSY');
    for (const seat of seats) seat.leave();
    admission.takeSeat(somebody());
  });

  it('asks to come back later when jobs take long and more are waiting, within limits', () => {
    const retryAfter = (waiting: number, jobSeconds: number): number => {
      const admission = createAdmission({ running: 1, waiting });
      for (let n = 0; n < waiting + 1; n += 1) admission.takeSeat(somebody());
      for (let n = 0; n < 100; n += 1) admission.noteJob(jobSeconds);
      try {
        admission.takeSeat(somebody());
      } catch (error) {
        if (error instanceof HttpProblem && 'retryAfterSeconds' in error.details) return error.details.retryAfterSeconds;
      }
      return Number.NaN;
    };
    expect(retryAfter(0, 0.1)).toBe(2);
    expect(retryAfter(4, 2)).toBe(10);
    expect(retryAfter(4, 4)).toBe(20);
    expect(retryAfter(1000, 2)).toBe(120);
  });

  it('gives no seat when it is closed', () => {
    const admission = createAdmission({ running: 1, waiting: 1 });
    admission.close();
    expect(() => admission.takeSeat(somebody())).toThrow('SERVER_BUSY');
  });

  it('leaves seats to others when one account has taken a quarter of all, and gives it one again when it has left one', () => {
    const admission = createAdmission({ running: 4, waiting: 32 });
    const ann = { accountId: 'ann', network: '192.0.2.1' };
    const seats = Array.from({ length: 9 }, () => admission.takeSeat(ann));
    expect(() => admission.takeSeat(ann)).toThrow(
      expect.objectContaining({ code: 'SERVER_BUSY', details: expect.objectContaining({ by: 'account' }) }),
    );
    for (let n = 0; n < 9; n += 1) admission.takeSeat({ accountId: 'bob', network: '192.0.2.1' });
    seats[0]?.leave();
    admission.takeSeat(ann);
  });

  it('counts what an earlier run of the server has accepted as its account’s', () => {
    const admission = createAdmission({ running: 1, waiting: 8 });
    for (let n = 0; n < 4; n += 1) admission.takeSeatAnyway('ann');
    expect(() => admission.takeSeat({ accountId: 'ann', network: '192.0.2.1' })).toThrow('SERVER_BUSY');
  });

  it('limits an address only where nobody is signed in, and to half of all', () => {
    const admission = createAdmission({ running: 4, waiting: 32 });
    const nobody = { accountId: null, network: '192.0.2.1' };
    for (let n = 0; n < 18; n += 1) admission.takeSeat(nobody);
    expect(() => admission.takeSeat(nobody)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ by: 'network' }) }),
    );
    admission.takeSeat({ accountId: null, network: '192.0.2.2' });
    admission.takeSeat({ accountId: 'ann', network: '192.0.2.1' });
  });

  it('lets somebody send a few recordings at once, however small the pool is', () => {
    const admission = createAdmission({ running: 1, waiting: 4 });
    for (let n = 0; n < 4; n += 1) admission.takeSeat({ accountId: 'ann', network: '192.0.2.1' });
  });
});
