/** `./chiffchaff admin …`; in a container `node apps/server/src/admin/main.ts …`. */
import { CommanderError } from '@commander-js/extra-typings';
import { EXIT_FAULTS, EXIT_USAGE, runCommand } from '../run-command.ts';
import { adminProgram } from './admin-program.ts';

await runCommand(async () => {
  let status = 0;
  const program = adminProgram(async (run) => {
    const [{ readConfig }, { openData }] = await Promise.all([import('../config/config.ts'), import('./open-data.ts')]);
    await using data = await openData(readConfig(process.env));
    const said = await run(data);
    const { text, isWell } = typeof said === 'string' ? { text: said, isWell: true } : said;
    process.stdout.write(`${text}\n`);
    if (!isWell) status = EXIT_FAULTS;
  });
  await program.parseAsync().catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed its message, or the help that was asked for.
    if (error.exitCode !== 0) status = EXIT_USAGE;
  });
  return status;
});
