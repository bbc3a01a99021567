import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTickets } from './tickets.ts';

const owner = { accountId: 'owner', sessionId: 'session' };
const ticketIn = (url: string): string => new URL(url, 'http://localhost').searchParams.get('ticket') ?? '';
const invalid = { code: 'TICKET_INVALID' };

async function issueOne() {
  const state = { now: Date.parse('2026-05-01T06:00:00Z'), isSignedIn: true };
  const tickets = createTickets({ key: randomBytes(32), isStillSignedIn: async () => state.isSignedIn });
  vi.spyOn(Date, 'now').mockImplementation(() => state.now);
  const { url, expiresAt } = await tickets.issue(owner, 'prediction/1', 'audio');
  return { state, tickets, url, expiresAt, ticket: ticketIn(url) };
}

afterEach(() => void vi.restoreAllMocks());

describe('A ticket', () => {
  it('is part of an address for one prediction and purpose, and is valid for five minutes', async () => {
    const { tickets, url, expiresAt, ticket, state } = await issueOne();
    expect(url).toMatch(/^\/v1\/predictions\/prediction%2F1\/audio\?ticket=/);
    expect(expiresAt).toBe('2026-05-01T06:05:00.000Z');
    expect(await tickets.check(ticket, 'prediction/1', 'audio')).toMatchObject({ accountId: 'owner' });
    state.now += 5 * 60_000 - 1;
    expect(await tickets.check(ticket, 'prediction/1', 'audio')).toMatchObject({ accountId: 'owner' });
    state.now += 1;
    await expect(tickets.check(ticket, 'prediction/1', 'audio')).rejects.toMatchObject(invalid);
  });

  it('is refused for any other prediction or purpose', async () => {
    const { tickets, ticket } = await issueOne();
    await expect(tickets.check(ticket, 'prediction/2', 'audio')).rejects.toMatchObject(invalid);
    await expect(tickets.check(ticket, 'prediction/1', 'export')).rejects.toMatchObject(invalid);
  });

  it('ends with its session', async () => {
    const { tickets, ticket, state } = await issueOne();
    state.isSignedIn = false;
    await expect(tickets.check(ticket, 'prediction/1', 'audio')).rejects.toMatchObject(invalid);
  });

  it('cannot be forged', async () => {
    const { tickets, ticket } = await issueOne();
    const [header = '', claims = '', signature = ''] = ticket.split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const other = encode({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'x' });
    const forged = [
      `${header}.${other}.${signature}`,
      `${header}.${claims}.${signature.slice(0, -2)}AA`,
      `${encode({ alg: 'none' })}.${claims}.`,
      `${header}.${claims}`,
      `${header}.${claims}.`,
      `${ticket}.${signature}`,
      '',
      '.',
      'ä.ö.ü',
      '%.%.%',
      ticketIn((await issueOne()).url),
    ];
    for (const made of forged) await expect(tickets.check(made, 'prediction/1', 'audio'), made).rejects.toMatchObject(invalid);
  });
});
