import { noLimits, startIdentityServer } from './identity-server.ts';

/**
 * A process to be killed by a test: serves the data folder of its first argument and writes its origin. Hashes are cheap and
 * nothing is limited, so that the test is about what the database keeps.
 */
const [, , folder = ''] = process.argv;
const { origin } = await startIdentityServer({
  folder,
  options: { limits: noLimits, passwords: { cost: { memoryKib: 8, passes: 1, lanes: 1 }, maxWaiting: 1000 } },
});
process.stdout.write(`${origin}\n`);
