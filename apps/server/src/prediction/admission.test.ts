import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../http/http-problem.ts';
import { createAdmission } from './admission.ts';

describe('admission', () => {
  it('has no more seats than may run and wait, and a seat that was left is free again, once', () => {
    const admission = createAdmission({ running: 1, waiting: 1 });
    const seat = admission.takeSeat();
    admission.takeSeat();
    expect(() => admission.takeSeat()).toThrow(HttpProblem);
    seat.leave();
    seat.leave();
    admission.takeSeat();
    expect(() => admission.takeSeat()).toThrow('SERVER_BUSY');
  });

  it('makes room for work that was accepted before, at the cost of new work', () => {
    const admission = createAdmission({ running: 1, waiting: 0 });
    const seats = [admission.takeSeatAnyway(), admission.takeSeatAnyway()];
    expect(() => admission.takeSeat()).toThrow('SERVER_BUSY');
    for (const seat of seats) seat.leave();
    admission.takeSeat();
  });

  it('asks to come back later when jobs take long and more are waiting, within limits', () => {
    const retryAfter = (waiting: number, jobSeconds: number): number => {
      const admission = createAdmission({ running: 1, waiting });
      for (let n = 0; n < waiting + 1; n += 1) admission.takeSeat();
      for (let n = 0; n < 100; n += 1) admission.noteJob(jobSeconds);
      try {
        admission.takeSeat();
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
    expect(() => admission.takeSeat()).toThrow('SERVER_BUSY');
  });
});
