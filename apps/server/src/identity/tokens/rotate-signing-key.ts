import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSigningKeys, KEYS_FOLDER_NAME, KEYS_MAX_AGE_SECONDS } from './signing-keys.ts';

/**
 * Adds a signing key to a data folder: `node rotate-signing-key.ts DATA_DIR`. A running server notices it within a second, publishes it at
 * once and signs with it an hour later; all sessions go on.
 */
const [, , dataDir] = process.argv;
const folder = dataDir === undefined ? null : join(dataDir, KEYS_FOLDER_NAME);
if (folder === null || !existsSync(folder)) {
  process.stderr.write(
    'Usage: node rotate-signing-key.ts DATA_DIR, where DATA_DIR is the data folder of a server that has been started once.\n',
  );
  process.exitCode = 2;
} else {
  const keys = await createSigningKeys({ folder, idTokenTtlSeconds: 3600, now: Date.now });
  const { kid } = await keys.rotate();
  process.stdout.write(`Key ${kid} was added. Tokens are signed with it in ${KEYS_MAX_AGE_SECONDS / 60} minutes.\n`);
}
