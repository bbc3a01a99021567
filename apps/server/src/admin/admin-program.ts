import { programVersion, versionInWords } from '@chiffchaff/analysis/program-version';
import { interfaceLanguages, settingNames } from '@chiffchaff/contract';
import { Argument, Command, Option } from '@commander-js/extra-typings';
import type { ServerData } from './open-data.ts';

/** What a command that checks something has found. */
interface Report {
  readonly text: string;
  readonly isWell: boolean;
}

/** Opens the server's data for a command, and prints what the command returns. */
export type Act = (run: (data: ServerData) => Promise<string | Report>) => Promise<void>;

/** Width of the help pages in columns, as in the other commands. */
const HELP_WIDTH = 110;

const JSON_HELP = 'as JSON instead of a table';

/** The operator's commands. Each loads its code when it is called: `--help` should not wait for a database. */
export function adminProgram(act: Act): Command {
  const program = new Command('./chiffchaff admin')
    .description(
      `Manages a server, running or not, from the machine it runs on. The settings must be those of the server: DATA_DIR, or DATABASE_URL.`,
    )
    .version(versionInWords(programVersion), '--version', 'show the version and the commit')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ getOutHelpWidth: () => HELP_WIDTH, getErrHelpWidth: () => HELP_WIDTH });
  program
    .command('disable')
    .description('end everything of an account at once, and refuse its sign-ins from now on; nothing is deleted')
    .argument('<EMAIL>')
    .action((email) => act(async (data) => (await import('./disable.ts')).disable(data, email)));
  program
    .command('enable')
    .description('let a disabled account sign in again')
    .argument('<EMAIL>')
    .action((email) => act(async (data) => (await import('./disable.ts')).enable(data, email)));
  program
    .command('invite')
    .description('let an address create an account: print a link that works once within 14 days, and email it if SMTP_URL is set')
    .argument('<EMAIL>')
    .addOption(
      new Option('--language <LANGUAGE>', 'of the email; the default language of the server').choices(interfaceLanguages),
    )
    .action((email, { language }) => act(async (data) => (await import('./invite.ts')).invite(data, email, language)));
  program
    .command('invitations')
    .description('list invitations: open, used and expired; they are deleted 30 days after they were made')
    .option('--json', JSON_HELP)
    .action((options) => act(async (data) => (await import('./invite.ts')).invitations(data, options)));
  program
    .command('uninvite')
    .description('revoke the unused invitation of an address')
    .argument('<EMAIL>')
    .action((email) => act(async (data) => (await import('./invite.ts')).uninvite(data, email)));
  program
    .command('users')
    .description('list all accounts: address, when created and last used, recordings in the history, whether disabled')
    .option('--json', JSON_HELP)
    .action((options) => act(async (data) => (await import('./users.ts')).users(data, options)));
  program
    .command('usage')
    .description('count accounts, recordings, kept sound, API tokens and public links')
    .option('--json', JSON_HELP)
    .action((options) => act(async (data) => (await import('./usage.ts')).usage(data, options)));
  program
    .command('doctor')
    .description('check disk, model, clock, backup, mail (sends a test), proxy and bucket; say what to do about what is wrong')
    .option('--clock-is-right', 'first note that the clock is right, and was ahead when the server ran at a later time')
    .action(({ clockIsRight }) =>
      act(async (data) => {
        if (clockIsRight) await (await import('../database/last-times.ts')).noteTime(data.database, 'latest');
        return (await import('./doctor.ts')).doctor(data);
      }),
    );
  program
    .command('check-storage')
    .description('compare the storage with the database: say what is missing and what belongs to nothing, for more than a day')
    .option('--remove', 'remove what belongs to nothing')
    .action((options) => act(async (data) => (await import('./check-storage.ts')).checkStorage(data, options)));
  program
    .command('backup-made')
    .description('note that a backup has just been made; "npm run backup" does so itself')
    .action(() =>
      act(async ({ database }) => {
        await (await import('../database/last-times.ts')).noteTime(database, 'backup');
        return 'Noted.';
      }),
    );
  program
    .command('setup')
    .description('print a new one-time code for the page /setup; earlier codes end')
    .action(() =>
      act(async ({ config, database }) => {
        const { createSetupCodes, setupInvitation } = await import('../settings/setup-codes.ts');
        const origin = config.publicUrl ?? `http://127.0.0.1:${config.port}`;
        return setupInvitation(origin, await createSetupCodes(database).make({ replace: true }));
      }),
    );
  const settings = program
    .command('settings')
    .description('show or change the settings that the page /setup has, and SETTINGS_FILE')
    .helpCommand(false);
  settings
    .command('get')
    .description('print a setting, or all with those that SETTINGS_FILE fixes; docs/configuration.md explains them')
    .addArgument(new Argument('[NAME]').choices(settingNames))
    .action((name) => act(async (data) => (await import('./settings.ts')).getSettings(data, name)));
  settings
    .command('set')
    .description('change a setting, which a running server uses within a second; an empty value unsets it')
    .addArgument(new Argument('<NAME>').choices(settingNames))
    .argument('<VALUE>')
    // A latitude may start with a minus sign.
    .allowUnknownOption()
    .action((name, value) => act(async (data) => (await import('./settings.ts')).setSetting(data, name, value)));
  return program;
}
