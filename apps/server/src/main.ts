/** The server: `node apps/server/src/main.ts`. What it reads from the environment is in docs/configuration.md. */
import './heap-growth.ts';
import { pino } from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { startServer } from './start-server.ts';

const EXIT_USAGE = 2;
const EXIT_INTERNAL = 3;

try {
  const { config, secrets } = readConfig(process.env);
  // Standard output is for people: it has one line, when predictions can be answered.
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2));
  const starting = startServer({
    config,
    secrets,
    log,
    onReady: (url) => process.stdout.write(`Chiffchaff is listening on ${url}\n`),
  });
  const stop = (): void => void starting.then((server) => server.stop()).catch(() => {});
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  await starting;
} catch (error) {
  const expected = error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = expected ? EXIT_USAGE : EXIT_INTERNAL;
}
