/** `./chiffchaff admin …`; in a container `node apps/server/src/admin/main.ts …`. */
import { DatabaseError } from '../database/database-error.ts';
import { StorageError } from '../storage/storage-error.ts';
import { AdminError } from './admin-error.ts';
import { adminProgram, commanderExit } from './admin-program.ts';

const EXIT_FAULTS = 1;
const EXIT_USAGE = 2;

const program = adminProgram(async (run) => {
  const [{ readConfig }, { openData }] = await Promise.all([import('../config/config.ts'), import('./open-data.ts')]);
  await using data = await openData(readConfig(process.env));
  process.stdout.write(`${await run(data)}\n`);
});

try {
  await program.parseAsync();
} catch (error) {
  const said = commanderExit(error);
  if (said) process.exitCode = said.isHelp ? 0 : EXIT_USAGE;
  else if (
    error instanceof AdminError ||
    error instanceof DatabaseError ||
    error instanceof StorageError ||
    isConfigError(error)
  ) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = isConfigError(error) ? EXIT_USAGE : EXIT_FAULTS;
  } else throw error;
}

/** Checked by name: importing its class would load the table of all settings, for which `--help` need not wait. */
function isConfigError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConfigError';
}
