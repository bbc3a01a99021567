import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportAccount } from './accounts/account-export.ts';
import { checkInvitation, createInvitation, listInvitations, revokeInvitation } from './invitations.ts';
import { type IdentityServer, noLimits, startIdentityServer } from './testing/identity-server.ts';

const email = 'ada@example.org';
const password = 'two short notes';
const DAY = 86_400;
let server: IdentityServer;
beforeEach(async () => {
  server = await startIdentityServer({ options: { signUp: 'invite' } });
});
afterEach(() => server.close());

const invite = async (address = email) => (await server.database.change({}, (query) => createInvitation(query, address))).code;
const signUp = (inviteCode: string | undefined, address = email) =>
  server.post('/v1/accounts:signUp', { email: address, password, inviteCode });
const listed = () => listInvitations(server.database.query);

describe('An invitation to create an account', () => {
  it('admits its email address once, in upper or lower case', async () => {
    const code = await invite();
    const { status, body } = await signUp(code, 'Ada@Example.org');
    expect(status).toBe(200);
    expect(await listed()).toMatchObject([{ email, accountId: body.localId, usedAtMs: expect.any(Number) }]);
    expect((await signUp(code)).message).toBe('USED_INVITATION');
    expect((await signUp(code, 'other@example.org')).message).toBe('USED_INVITATION');
  });

  it('is refused to other addresses, with the same message whether they have an account', async () => {
    await signUp(await invite('known@example.org'), 'known@example.org');
    const code = await invite();
    for (const address of ['other@example.org', 'known@example.org']) {
      expect((await signUp(code, address)).message).toBe('INVITATION_FOR_ANOTHER_ADDRESS');
      expect((await signUp(undefined, address)).message).toBe('INVITATION_NEEDED');
      expect((await signUp('made-up', address)).message).toBe('INVALID_INVITATION');
    }
    // None of these attempts used it up.
    expect((await signUp(code)).status).toBe(200);
  });

  it('ends after 14 days', async () => {
    const code = await invite();
    server.advance(14 * DAY - 60);
    await checkInvitation(server.database.query, code, email);
    server.advance(61);
    expect((await signUp(code)).message).toBe('EXPIRED_INVITATION');
  });

  it('ends when it is revoked or replaced by a new invitation', async () => {
    const first = await invite();
    const second = await invite();
    expect((await signUp(first)).message).toBe('INVALID_INVITATION');
    expect(await server.database.change({}, (query) => revokeInvitation(query, email))).toBe(true);
    expect((await signUp(second)).message).toBe('INVALID_INVITATION');
    expect(await server.database.change({}, (query) => revokeInvitation(query, email))).toBe(false);
    expect(await listed()).toEqual([]);
  });

  it('creates one account for simultaneous sign-ups', async () => {
    const code = await invite();
    const answers = await Promise.all(Array.from({ length: 4 }, () => signUp(code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await server.database.query.selectFrom('accounts').select('id').execute()).toHaveLength(1);
  });

  it('is still valid after a sign-up that is refused for another reason', async () => {
    const code = await invite();
    expect((await server.post('/v1/accounts:signUp', { email, password: '123', inviteCode: code })).message).toMatch(/^WEAK_/);
    expect((await signUp(code)).status).toBe(200);
  });

  it('is stored without its code, and removed from database and export with the account', async () => {
    const code = await invite();
    const { body } = await signUp(code);
    expect(JSON.stringify(await listed())).not.toContain(code);
    const pieces: string[] = [];
    const { account, session } = await server.identity.methods.access.verify(body.idToken);
    const { emailVerified, displayName } = account;
    const { authTimeSeconds, id: sessionId } = session;
    const principal = { accountId: account.id, email, emailVerified, displayName, authTimeSeconds, sessionId };
    for await (const piece of await exportAccount(server.identity, principal)) pieces.push(piece);
    expect(JSON.parse(pieces.join('')).invitations).toMatchObject([{ email, usedAt: expect.any(String) }]);
    await server.database.change({}, (query) => createInvitation(query, 'other@example.org'));
    await server.identity.deletion.delete(body.localId);
    expect(await listed()).toMatchObject([{ email: 'other@example.org' }]);
  });

  it('is deleted 30 days after it was made, and not earlier', async () => {
    await invite();
    server.advance(30 * DAY - 60);
    await server.identity.maintain();
    expect(await listed()).toHaveLength(1);
    server.advance(120);
    await server.identity.maintain();
    expect(await listed()).toEqual([]);
  });

  it('made while the server’s clock was ahead ends 14 days after the clock was corrected', async () => {
    server.advance(400 * DAY);
    const code = await invite();
    server.advance(-400 * DAY);
    await server.identity.maintain();
    server.advance(15 * DAY);
    expect((await signUp(code)).message).toBe('EXPIRED_INVITATION');
  });
});

it('Attempts with unknown invitation codes are limited for each network, and those with valid codes are not', async () => {
  const limits = { ...noLimits, wrongCodePerClient: { points: 3, windowSeconds: 3600 } };
  const limited = await startIdentityServer({ options: { signUp: 'invite', limits } });
  const send = (inviteCode: string, address: string) =>
    limited.post('/v1/accounts:signUp', { email: address, password, inviteCode });
  for (const index of Array(4).keys()) {
    const address = `person-${index}@example.org`;
    expect(
      (await send((await limited.database.change({}, (query) => createInvitation(query, address))).code, address)).status,
    ).toBe(200);
  }
  for (const _ of Array(3).keys()) expect((await send('made-up', email)).message).toBe('INVALID_INVITATION');
  expect((await send('made-up', email)).message).toMatch(/^TOO_MANY_ATTEMPTS_TRY_LATER/);
  await limited.close();
});

it.each([
  ['open', 200],
  ['closed', 400],
] as const)('An invitation code makes no difference if sign-up is %s', async (signUpMode, status) => {
  const other = await startIdentityServer({ options: { signUp: signUpMode } });
  const { code } = await other.database.change({}, (query) => createInvitation(query, email));
  for (const [inviteCode, address] of [
    ['made-up', 'one@example.org'],
    [code, email],
  ]) {
    expect((await other.post('/v1/accounts:signUp', { email: address, password, inviteCode })).status).toBe(status);
  }
  await other.close();
});
