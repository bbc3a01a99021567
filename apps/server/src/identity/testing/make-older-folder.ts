import { migrations } from '../../database/migrations.ts';
import { startIdentityServer } from './identity-server.ts';

/**
 * Creates a data folder with the first version of the schema and some accounts, to try migrations on: `node make-older-folder.ts DATA_DIR`.
 * Prints the accounts.
 */
const accounts = 5;
const password = 'a nightingale at noon';
const [, , folder = ''] = process.argv;
const server = await startIdentityServer({ folder, steps: migrations.slice(0, 1) });
const emails = Array.from({ length: accounts }, (_, index) => `birder-${index}@example.org`);
for (const email of emails) {
  const { status, text } = await server.post('/v1/accounts:signUp', { email, password });
  if (status !== 200) throw new Error(`The first version's sign-up was answered ${status} ${text}`);
}
await server.close();
process.stdout.write(`${JSON.stringify({ emails, password })}\n`);
