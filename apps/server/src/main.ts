/** The server: `node apps/server/src/main.ts`. docs/configuration.md has the environment variables that it reads. */
import { ignoreOutputErrors } from '@chiffchaff/analysis/program-output';
import { programVersion, versionInWords } from '@chiffchaff/analysis/program-version';
import { ConfigError, EXIT_CONFIGURATION, readConfig } from './config/config.ts';
import { misspeltSettings } from './config/misspelt-settings.ts';
import { createLog } from './create-log.ts';
import { hasDatabaseCode } from './database/database-error.ts';
import { openServer } from './open-server.ts';
import { findInstallation } from './parts/installation.ts';
import { sentenceFor } from './run-command.ts';
import { serverLimits } from './server-limits.ts';

const EXIT_INTERNAL = 3;
const EXIT_FOLDER_IN_USE = 4;

ignoreOutputErrors();
try {
  const { config, secrets } = readConfig(process.env);
  // Standard output is for people: when predictions can be answered, and how to set up a new server. The set-up code is never logged.
  const log = createLog(config.logLevel, process.stderr);
  log.info(`Chiffchaff ${versionInWords(programVersion)}`);
  for (const sentence of misspeltSettings(process.env)) log.warn(sentence);
  // One unhandled promise rejection must not end everybody's work.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a promise was rejected that nobody waited for'));
  const creating = openServer({ config, secrets, log, installation: findInstallation(config, log), limits: serverLimits });
  const starting = creating.then((server) =>
    server.start(
      (url) =>
        process.stdout.write(`Chiffchaff is listening on ${url}${config.role === 'all' ? '' : ` (ROLE=${config.role})`}\n`),
      (text) => process.stdout.write(text),
    ),
  );
  const stop = (): void =>
    void Promise.all([creating, starting])
      .then(([server]) => server.close())
      .catch(() => {});
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  // `npm start` holds an IPC channel, which closes if it is killed. A server that is started directly has none.
  process.once('disconnect', stop);
  process.channel?.unref();
  if (process.connected === false) stop();
  await starting;
} catch (error) {
  process.stderr.write(`${sentenceFor(error) ?? stackOf(error)}\n`);
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError) return EXIT_CONFIGURATION;
  return hasDatabaseCode(error, 'FOLDER_IN_USE') ? EXIT_FOLDER_IN_USE : EXIT_INTERNAL;
}

function stackOf(error: unknown): string {
  return (error instanceof Error ? error.stack : undefined) ?? String(error);
}
