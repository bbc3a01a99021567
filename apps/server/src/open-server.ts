/**
 * The server: its parts, opened one after the other by functions that take what they need (folder `parts`), and how it listens and closes.
 * `main.ts` opens one with what is installed; tests with a stand-in for the analysis and with shorter limits.
 */
import { missingTerms } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import { isPostgres } from './database/open-database.ts';
import type { OpenedIdentity } from './identity/open-identity.ts';
import { acceptsRecordings } from './operation/troubles.ts';
import { serves } from './parts/installation.ts';
import { openParts } from './parts/open-parts.ts';
import type { ServerOptions } from './parts/open-stores.ts';
import { PartStack } from './parts/part-stack.ts';
import { startChores } from './parts/start-chores.ts';
import type { CurrentSettings } from './settings/operator-settings.ts';
import { isNew, setupInvitation } from './settings/setup-codes.ts';
import { buildWorkerApp } from './worker-app.ts';

/** A server with all its parts. */
export type Server = Awaited<ReturnType<typeof openServer>>;

/**
 * Opens everything the server needs and resumes what an earlier run left; `start` listens. It starts without a model or decoder. If a part
 * fails to open, all parts opened before it are closed.
 */
export async function openServer(options: ServerOptions) {
  const { config, log } = options;
  await using opening = new PartStack();
  const parts = await openParts(options, opening);
  const { database, settings, identity, notices, modelLoader, listener } = parts;
  const stopping = new AbortController();
  const build = serves(config) ? buildApp : buildWorkerApp;
  const app = await build({ ...parts, stopping: stopping.signal });
  if (serves(config)) warnOfBlanks(settings.current(), identity, log);

  parts.metrics.observeCondition(() => ({
    findings: notices.latest,
    acceptsRecordings: acceptsRecordings(notices.latest),
    model: modelLoader.loaded?.model ?? null,
  }));
  // Missing parts have been logged, and each request that needs them says so.
  await modelLoader.get().catch(() => {});
  await startChores(parts, opening);
  const held = opening.move();
  app.addHook('onClose', () => held.disposeAsync());

  async function inviteToSetUp(print: (text: string) => void): Promise<void> {
    if (missingTerms(settings.current().terms).length === 0 || !(await isNew(database))) return;
    print(setupInvitation(listener.safestUrl(), await parts.setupCodes.make({ replace: !isPostgres(database) })));
  }

  /** Stops work in flight instead of waiting for it. */
  function hurry(): void {
    stopping.abort(new DOMException('The server is stopping', 'AbortError'));
    database.stopWaiting();
  }

  return {
    ...parts,
    app,
    /**
     * Listens.
     *
     * @param onReady called once the model is loaded
     * @param print a line for the terminal: how to set up a server that nobody has used yet; without one no code is made
     * @returns where this machine reaches it
     * @throws ListenError
     */
    async start(onReady: (url: string) => void = () => {}, print?: (text: string) => void): Promise<string> {
      const url = await listener.listen(app);
      void parts.modelLoader.ready.then(() => onReady(url));
      if (!serves(config)) return url;
      if (print) await inviteToSetUp(print);
      parts.places
        .prepare()
        .catch((error: unknown) => log.warn({ err: error }, 'places could not be prepared; the next search will try again'));
      return url;
    },
    lookForTroubles: notices.look,
    hurry,
    /**
     * Takes no more requests, lets work in flight finish for a while, then stops it; closes all parts. A second call hurries the first.
     */
    close: (): Promise<void> => listener.close(app, hurry),
  };
}

function warnOfBlanks({ terms }: CurrentSettings, { publicIdentity }: OpenedIdentity, log: FastifyBaseLogger): void {
  if (!publicIdentity.mailAvailable) log.warn('SMTP_URL is not set: people cannot reset a password or verify their address');
  const blanks = missingTerms(terms);
  if (blanks.length === 0) return;
  const verb = blanks.length === 1 ? 'is' : 'are';
  log.warn(
    `the terms at /toc are incomplete: ${blanks.join(', ')} ${verb} not set; visitors see a short text instead ("./chiffchaff admin setup" says how to fill them in)`,
  );
}
