/** Exits with 2 and prints why if the server would not start with this configuration. Runs before anything is downloaded for the server. */
import { runCommand } from '../run-command.ts';
import { readConfig } from './config.ts';

await runCommand(async () => {
  readConfig(process.env);
  return 0;
});
