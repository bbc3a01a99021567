/** `./chiffchaff admin …`; in a container `node apps/server/src/admin/main.ts …`. */
import { CommanderError } from '@commander-js/extra-typings';
import { DatabaseError } from '../database/database-error.ts';
import { StorageError } from '../storage/storage-error.ts';
import { AdminError } from './admin-error.ts';
import { adminProgram } from './admin-program.ts';

const EXIT_FAULTS = 1;
const EXIT_USAGE = 2;

const program = adminProgram(async (run) => {
  const [{ readConfig }, { openData }] = await Promise.all([import('../config/config.ts'), import('./open-data.ts')]);
  await using data = await openData(readConfig(process.env));
  const said = await run(data);
  const { text, isWell } = typeof said === 'string' ? { text: said, isWell: true } : said;
  process.stdout.write(`${text}\n`);
  if (!isWell) process.exitCode = EXIT_FAULTS;
});

try {
  await program.parseAsync();
} catch (error) {
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
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
