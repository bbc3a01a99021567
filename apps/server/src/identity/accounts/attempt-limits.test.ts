import { describe, expect, it } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { createAttemptLimits } from './attempt-limits.ts';

const defaults = readConfig({}).config;
const two = { points: 2, windowSeconds: 60 };
const tooMany = { code: 'TOO_MANY_ATTEMPTS_TRY_LATER' };

describe('The limiter of attempts (`createAttemptLimits`)', () => {
  it('limits attempts to sign in to one email address, from whatever network they come', async () => {
    const limits = createAttemptLimits({ ...defaults, signInPerAddress: two });
    await limits.takeSignIn('a@example.org', '192.0.2.1');
    await limits.takeSignIn('a@example.org', '192.0.2.2');
    await expect(limits.takeSignIn('a@example.org', '192.0.2.3')).rejects.toMatchObject(tooMany);
    await limits.takeSignIn('b@example.org', '192.0.2.3');
  });

  it('limits attempts from one client, without limiting other clients at the same email addresses', async () => {
    const limits = createAttemptLimits({ ...defaults, signInPerClient: two, signInPerAddress: two });
    await limits.takeSignIn('a@example.org', '192.0.2.1');
    await limits.takeSignIn('b@example.org', '192.0.2.1');
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(limits.takeSignIn('c@example.org', '192.0.2.1')).rejects.toMatchObject(tooMany);
    }
    await limits.takeSignIn('c@example.org', '192.0.2.2');
  });

  it('does not count successful sign-ins', async () => {
    const limits = createAttemptLimits({ ...defaults, signInPerClient: two, signInPerAddress: two });
    for (let attempt = 0; attempt < 5; attempt++) {
      await limits.takeSignIn('a@example.org', '192.0.2.1');
      await limits.giveSignInBack('a@example.org', '192.0.2.1');
    }
  });

  it('refuses to send emails beyond the limit, with the error code that the caller names', async () => {
    const limits = createAttemptLimits({ ...defaults, codeMailPerAddress: { points: 1, windowSeconds: 60 } });
    await limits.takeCodeMail('a@example.org', '192.0.2.1', 'RESET_PASSWORD_EXCEED_LIMIT');
    const again = limits.takeCodeMail('a@example.org', '192.0.2.1', 'RESET_PASSWORD_EXCEED_LIMIT');
    await expect(again).rejects.toMatchObject({ code: 'RESET_PASSWORD_EXCEED_LIMIT' });
  });
});
