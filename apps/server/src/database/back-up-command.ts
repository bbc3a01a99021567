/**
 * `npm run backup -- FOLDER`: copies the data folder of a server, running or not, to a new folder, and checks the copy.
 * `npm run backup -- --check FOLDER`: checks a data folder or a copy of one.
 */
import { resolve } from 'node:path';
import { readConfig } from '../config/config.ts';
import { EXIT_FAULTS, EXIT_USAGE, runCommand } from '../run-command.ts';
import { DatabaseError } from './database-error.ts';
import { noteTime } from './last-times.ts';
import { openDatabase } from './open-database.ts';
import { backUp } from './sqlite/back-up.ts';
import { checkData } from './sqlite/check/check-data.ts';

const USAGE = `Usage: npm run backup -- FOLDER            copy DATA_DIR to FOLDER, which must not exist yet
       npm run backup -- --check FOLDER    check a data folder or a copy of one
`;

async function report(folder: string): Promise<number> {
  const { step, rows, faults, leftovers } = await checkData(folder);
  const counts = Object.entries(rows).map(([name, count]) => `  ${name}: ${count}`);
  process.stdout.write(`${folder}: schema step ${step}\n${counts.join('\n')}\n`);
  process.stdout.write(faults.length === 0 ? 'No fault found.\n' : `${faults.map((fault) => `✗ ${fault}`).join('\n')}\n`);
  process.stdout.write(leftovers.map((leftover) => `· ${leftover}; the next start removes it\n`).join(''));
  return faults.length === 0 ? 0 : EXIT_FAULTS;
}

/** Tells the server, which warns of old backups. The backup is good whether or not this works. */
async function note(dataDir: string): Promise<void> {
  try {
    const database = await openDatabase({ databaseUrl: null, dataDir, log: { warn() {} }, reserveBytes: 0 });
    await noteTime(database, 'backup').finally(() => database.close());
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    process.stderr.write(`The backup is complete, but could not be noted in the database: ${error.message}\n`);
  }
}

async function run(words: readonly string[]): Promise<number> {
  const isCheck = words[0] === '--check';
  const [folder, ...rest] = isCheck ? words.slice(1) : words;
  if (folder === undefined || folder.startsWith('-') || rest.length > 0) {
    process.stderr.write(USAGE);
    return EXIT_USAGE;
  }
  const destination = resolve(folder);
  if (!isCheck) {
    const { config, secrets } = readConfig(process.env);
    // After a move, the folder still has the rows of before.
    if (secrets.databaseUrl !== null) {
      process.stderr.write(
        'Accounts and predictions are in the database of DATABASE_URL, not in DATA_DIR. Back them up with pg_dump and the versioning of your storage, then run "./chiffchaff admin backup-made" (docs/operations.md, "Several machines").\n',
      );
      return EXIT_FAULTS;
    }
    backUp(resolve(config.dataDir), destination);
    const status = await report(destination);
    if (status === 0) await note(config.dataDir);
    return status;
  }
  return report(destination);
}

await runCommand(() => run(process.argv.slice(2)));
