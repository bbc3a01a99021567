/** Exits with 2 and prints why if the server would not start with this configuration. Runs before anything is downloaded for the server. */
import { ConfigError, EXIT_CONFIGURATION, readConfig } from './config.ts';

try {
  readConfig(process.env);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = EXIT_CONFIGURATION;
}
