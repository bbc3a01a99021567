import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../../http/http-problem.ts';
import { createAdmission } from './admission.ts';

let people = 0;
/** A different sender each time. */
const newSender = () => {
  people += 1;
  return { accountId: `account ${people}`, network: `network ${people}` };
};
const busy = (by?: 'account' | 'network') =>
  expect.objectContaining({ code: 'SERVER_BUSY', details: { retryAfterSeconds: expect.any(Number), ...(by && { by }) } });

describe('Admission of recordings', () => {
  it('gives as many permits as recordings can run and wait, and frees a permit once if it is released twice', () => {
    const admission = createAdmission({ running: 1, waiting: 2 });
    const permits = [newSender(), newSender(), newSender()].map(admission.take);
    expect(() => admission.check(newSender())).toThrow(busy());
    permits[0]?.release();
    permits[0]?.release();
    admission.check(newSender());
    admission.take(newSender());
    expect(() => admission.check(newSender())).toThrow(busy());
  });

  it('takes no permit before a recording has arrived', () => {
    const admission = createAdmission({ running: 1, waiting: 0 });
    for (let n = 0; n < 10; n += 1) admission.check(newSender());
  });

  it('admits recordings that have arrived or were accepted before, at the cost of new ones', () => {
    const admission = createAdmission({ running: 1, waiting: 0 });
    const earlier = () => admission.take({ accountId: null, network: null });
    const permits = [earlier(), earlier(), admission.take(newSender())];
    expect(() => admission.check(newSender())).toThrow(busy());
    for (const permit of permits) permit.release();
    admission.check(newSender());
  });

  it('tells clients to come back later the longer jobs take and the more are waiting, within limits', () => {
    const retryAfter = (waiting: number, jobSeconds: number): number => {
      const admission = createAdmission({ running: 1, waiting });
      for (let n = 0; n < waiting + 1; n += 1) admission.take(newSender());
      for (let n = 0; n < 100; n += 1) admission.noteJob(jobSeconds);
      try {
        admission.check(newSender());
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

  it('refuses every recording when it is closed', () => {
    const admission = createAdmission({ running: 1, waiting: 1 });
    admission.close();
    expect(() => admission.check(newSender())).toThrow(busy());
  });

  it('limits one account to a quarter of all permits, and admits it again when it releases one', () => {
    const admission = createAdmission({ running: 4, waiting: 32 });
    const ann = { accountId: 'ann', network: '192.0.2.1' };
    const permits = Array.from({ length: 9 }, () => admission.take(ann));
    expect(() => admission.check(ann)).toThrow(busy('account'));
    admission.check({ accountId: 'bob', network: '192.0.2.1' });
    permits[0]?.release();
    admission.check(ann);
  });

  it('counts recordings that an earlier run of the server accepted for an account', () => {
    const admission = createAdmission({ running: 1, waiting: 8 });
    for (let n = 0; n < 4; n += 1) admission.take({ accountId: 'ann', network: null });
    expect(() => admission.check({ accountId: 'ann', network: '192.0.2.1' })).toThrow(busy('account'));
  });

  it.each([
    ['no account is signed in', () => ({ accountId: null, network: '192.0.2.1' })],
    ['there are many accounts', () => ({ ...newSender(), network: '192.0.2.1' })],
  ])('limits one address to three quarters of all permits when %s', (_who, sender) => {
    const admission = createAdmission({ running: 4, waiting: 32 });
    for (let n = 0; n < 27; n += 1) admission.take(sender());
    expect(() => admission.check(sender())).toThrow(busy('network'));
    admission.check({ accountId: null, network: '192.0.2.2' });
  });

  it('lets recordings that arrive together beyond a network’s share wait without taking permits from other networks', () => {
    const admission = createAdmission({ running: 4, waiting: 32 });
    const ofOneNetwork = () => ({ ...newSender(), network: '192.0.2.1' });
    const permits = Array.from({ length: 60 }, () => admission.take(ofOneNetwork()));
    expect(() => admission.check(ofOneNetwork())).toThrow(busy('network'));
    for (let n = 0; n < 9; n += 1) {
      admission.check(newSender());
      admission.take(newSender());
    }
    expect(() => admission.check(newSender())).toThrow(busy());
    for (const permit of permits) permit.release();
    for (let n = 0; n < 27; n += 1) admission.take(newSender());
    expect(() => admission.check(newSender())).toThrow(busy());
  });

  it('lets every requester send a few recordings at once, however few permits there are', () => {
    const admission = createAdmission({ running: 1, waiting: 4 });
    const ann = { accountId: 'ann', network: '192.0.2.1' };
    for (let n = 0; n < 4; n += 1) {
      admission.check(ann);
      admission.take(ann);
    }
  });
});
