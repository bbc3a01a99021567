import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSmtpServer } from '../identity/testing/smtp-server.ts';
import { file } from '../testing/multipart.ts';
import { openServerData } from '../testing/server-data.ts';
import { signUp } from '../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { disable } from './disable.ts';
import { invitations, invite, uninvite } from './invite.ts';
import type { ServerData } from './open-data.ts';
import { usage } from './usage.ts';
import { users } from './users.ts';

const email = 'ada@example.org';
const environment = { SIGN_UP: 'invite', PUBLIC_URL: 'https://birds.example.org', OPEN_PREDICTION: 'false' };
let server: TestServer;
beforeEach(async () => {
  server = await createTestServer({ environment });
});
afterEach(() => server.close());

const linkIn = (text: string): URL => new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? '');
async function accept(link: URL, address: string) {
  const payload = {
    email: address,
    password: 'two short notes',
    inviteCode: new URLSearchParams(link.hash.slice(1)).get('invitation'),
  };
  return (await server.app.inject({ method: 'POST', url: '/v1/accounts:signUp?key=any', payload })).json();
}
const opened = (more: Readonly<Record<string, string>> = {}): Promise<ServerData> =>
  openServerData(server, { ...environment, ...more });

describe('`chiffchaff admin invite`', () => {
  it('prints a link that a running server accepts; the list of invitations says whether it was used', async () => {
    await using data = await opened();
    const printed = await invite(data, ' Ada@Example.org ');
    expect(printed).toMatch(/^Invited ada@example\.org until .* UTC \(14 days\)/);
    expect(printed).toContain('No mail server is set (SMTP_URL): send the link yourself.');
    const link = linkIn(printed);
    expect(link.origin + link.pathname + link.search).toBe('https://birds.example.org/login');
    expect(new URLSearchParams(link.hash.slice(1)).get('email')).toBe(email);
    expect(await invitations(data, {})).toMatch(/^address +state .*\nada@example\.org +open +\d{4}-\d\d-\d\d \d\d:\d\d .* -$/);
    expect(await accept(link, email)).toMatchObject({ email, localId: expect.any(String) });
    expect((await accept(link, email)).error.message).toBe('USED_INVITATION');
    expect(JSON.parse(await invitations(data, { json: true }))).toMatchObject({ invitations: [{ email, state: 'used' }] });
    await expect(invite(data, email)).rejects.toThrow('There is already an account with the address ada@example.org.');
  });

  it('is undone by `uninvite`, which revokes the link', async () => {
    await using data = await opened();
    const link = linkIn(await invite(data, email));
    expect(await uninvite(data, 'ADA@example.org')).toBe('Revoked the invitation of ada@example.org. Its link no longer works.');
    expect((await accept(link, email)).error.message).toBe('INVALID_INVITATION');
    await expect(uninvite(data, email)).rejects.toThrow('There is no unused invitation for ada@example.org.');
    expect(await invitations(data, {})).toBe('There are no invitations.');
  });

  it('emails the link in the requested language, and says whether the mail server accepted the email', async () => {
    const smtp = await startSmtpServer();
    await using data = await opened({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}` });
    expect(await invite(data, email, 'de')).toContain('The mail server has accepted an email with this link.');
    const mail = smtp.conversation.join('').replaceAll('=\r\n', '');
    expect(mail).toContain('Subject: Einladung zu Chiffchaff');
    expect(mail).toContain('https://birds.example.org/login#invitation=');
    expect(mail).toContain(`To: ${email}`);
    await smtp.close();
    expect(await invite(data, email)).toContain('No email was sent: the mail server can’t be reached (SMTP_URL).');
  });

  it('says why it cannot invite an email address', async () => {
    await using data = await opened();
    await expect(invite(data, 'ada')).rejects.toThrow('ada is not an email address.');
    const withSignUp = (signUp: 'open' | 'closed') => ({ ...data, config: { ...data.config, signUp } });
    await expect(invite(withSignUp('closed'), email)).rejects.toThrow('Set SIGN_UP=invite and restart the server.');
    expect(await invite(withSignUp('open'), email)).toContain('SIGN_UP is open in the settings of this command.');
    const elsewhere = { ...data, config: { ...data.config, identityMode: 'firebase' } } as const;
    await expect(invite(elsewhere, email)).rejects.toThrow('Accounts are not managed by this server');
  });
});

describe('`chiffchaff admin users` and `usage`', () => {
  it('list accounts with their recordings, and count accounts, invitations, recordings and links', async () => {
    const open = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
    await using data = await openServerData(open);
    expect(await users(data, {})).toBe('There are no accounts.');
    const walker = await signUp(open, 'walker@example.org');
    await signUp(open, 'idle@example.org');
    await walker.predict([file('sound')]);
    await invite(data, email);
    await disable(data, 'idle@example.org');
    const found = JSON.parse(await users(data, { json: true }));
    expect(found.users).toHaveLength(2);
    expect(found.users).toContainEqual(
      expect.objectContaining({ id: walker.accountId, email: 'walker@example.org', disabled: false, recordings: 1 }),
    );
    expect(found.users).toContainEqual(expect.objectContaining({ email: 'idle@example.org', disabled: true, recordings: 0 }));
    expect(await users(data, {})).toMatch(/^idle@example\.org .* 0 {2}disabled$/m);
    expect(JSON.parse(await usage(data, { json: true }))).toMatchObject({
      accounts: { total: 2, disabled: 1, createdIn30Days: 2 },
      openInvitations: 1,
      recordings: { total: 1, waiting: 0, failed: 0, in30Days: 1, bytesIn30Days: expect.any(Number), sendersIn30Days: 1 },
      apiTokens: 0,
      publicLinks: 0,
    });
    expect(await usage(data, {})).toMatch(/^accounts +2\n {2}disabled +1\n/);
    const elsewhere = { ...data, config: { ...data.config, identityMode: 'firebase' } } as const;
    expect(JSON.parse(await usage(elsewhere, { json: true }))).not.toHaveProperty('accounts');
    await open.close();
  });
});
