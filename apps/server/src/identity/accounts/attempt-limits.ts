import type { IdentityErrorCode } from '@chiffchaff/contract';
import { type CreateLimiter, countTry, createMemoryLimiter, type Limiter, type RateLimit } from '../../http/limits/limiters.ts';
import { networkOf } from '../../http/limits/network-of.ts';
import { IdentityError, isRefusal } from '../identity-error.ts';

/** Limits by email address (`PerAddress`) and by the client's network (`PerClient`). */
export type AttemptLimitOptions = Readonly<
  Record<
    `${'signIn' | 'codeMail'}PerAddress` | `${'signIn' | 'signUp' | 'codeMail' | 'wrongCode' | 'refresh'}PerClient`,
    RateLimit
  >
>;

export type AttemptLimits = ReturnType<typeof createAttemptLimits>;

/**
 * Rate limits for attempts. An email address counts whether or not it has an account, so a limit does not reveal that.
 *
 * @throws IdentityError TOO_MANY_ATTEMPTS_TRY_LATER, or the code given, from every `take`
 */
export function createAttemptLimits(options: AttemptLimitOptions, createLimiter: CreateLimiter = createMemoryLimiter) {
  const limiter = (name: keyof AttemptLimitOptions): Limiter => createLimiter(name, options[name]);
  const signInPerAddress = limiter('signInPerAddress');
  const signInPerClient = limiter('signInPerClient');
  const signUpPerClient = limiter('signUpPerClient');
  const codeMailPerAddress = limiter('codeMailPerAddress');
  const codeMailPerClient = limiter('codeMailPerClient');
  const wrongCodePerClient = limiter('wrongCodePerClient');
  const refreshPerClient = limiter('refreshPerClient');

  return {
    takeSignIn: async (email: string, clientAddress: string): Promise<void> => {
      // Client first: a client over its limit must not use up the attempts of other people's addresses.
      await take(signInPerClient, networkOf(clientAddress));
      await take(signInPerAddress, email);
    },
    giveSignInBack: async (email: string, clientAddress: string): Promise<void> => {
      await signInPerClient.reward(networkOf(clientAddress));
      await signInPerAddress.reward(email);
    },
    takeSignUp: (clientAddress: string) => take(signUpPerClient, networkOf(clientAddress)),
    takeCodeMail: async (email: string, clientAddress: string, refusal: IdentityErrorCode): Promise<void> => {
      await take(codeMailPerClient, networkOf(clientAddress), refusal);
      await take(codeMailPerAddress, email, refusal);
    },
    /** Runs work with a code. Only a code that is refused for one of these reasons uses up an attempt. */
    async tryCode<T>(clientAddress: string, wrong: readonly IdentityErrorCode[], work: () => Promise<T>): Promise<T> {
      const network = networkOf(clientAddress);
      await take(wrongCodePerClient, network);
      try {
        const result = await work();
        await wrongCodePerClient.reward(network);
        return result;
      } catch (error) {
        if (!isRefusal(error, ...wrong)) await wrongCodePerClient.reward(network);
        throw error;
      }
    },
    takeRefresh: (clientAddress: string) => take(refreshPerClient, networkOf(clientAddress)),
  };
}

async function take(limiter: Limiter, key: string, refusal: IdentityErrorCode = 'TOO_MANY_ATTEMPTS_TRY_LATER'): Promise<void> {
  if ((await countTry(limiter, key)) === null) return;
  throw new IdentityError(refusal, 'Too many attempts. Wait a moment and try again.');
}
