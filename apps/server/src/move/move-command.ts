/**
 * `npm run move`: copies the data of a stopped server from DATA_DIR to the PostgreSQL of DATABASE_URL and, if set, the storage of
 * STORAGE_URL. `npm run move -- back` copies it from there to DATA_DIR. Addresses come only from the environment: arguments would show in the list of processes.
 */
import { readConfig } from '../config/config.ts';
import { explainFull } from '../database/database-error.ts';
import { EXIT_USAGE, runCommand } from '../run-command.ts';
import { moveBack } from './move-back.ts';
import { moveData } from './move-data.ts';

const USAGE = `Usage: npm run move            copy DATA_DIR to DATABASE_URL and STORAGE_URL, all set in the environment
       npm run move -- back    copy them back to DATA_DIR, which must not contain anything else
`;

await runCommand(async () => {
  const { config, secrets } = readConfig(process.env);
  const { databaseUrl } = secrets;
  const words = process.argv.slice(2).join(' ');
  if ((words !== '' && words !== 'back') || databaseUrl === null) {
    process.stderr.write(USAGE);
    return EXIT_USAGE;
  }
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const move = words === 'back' ? moveBack : moveData;
  await move({ dataDir: config.dataDir, databaseUrl, config, secrets, say }).catch((error: unknown) => {
    throw explainFull(error, 'the data folder (DATA_DIR) or temporary files (TMPDIR)');
  });
  return 0;
});
