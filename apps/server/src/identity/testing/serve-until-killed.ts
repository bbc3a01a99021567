import { noLimits, startIdentityServer } from './identity-server.ts';

/**
 * A process for a test to kill: serves the data folder in its first argument and prints its origin. Hashes are cheap and nothing is
 * rate-limited, so that the test is about what the database keeps.
 */
const [, , folder = ''] = process.argv;
const { origin } = await startIdentityServer({
  folder,
  options: { limits: noLimits, passwords: { cost: { memoryKib: 8, passes: 1, lanes: 1 }, maxWaiting: 1000 } },
});
process.stdout.write(`${origin}\n`);
