/**
 * The server: its parts, opened one after the other by functions that take what they need (folder `parts`), and how it listens and closes.
 * `main.ts` opens one with what is installed; tests with a stand-in for the analysis and with shorter limits.
 */
import { programVersion } from '@chiffchaff/analysis/program-version';
import { missingTerms } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import { isPostgres } from './database/open-database.ts';
import { countMails } from './identity/mail/mailer.ts';
import { createMailer, type OpenedIdentity } from './identity/open-identity.ts';
import { createMetrics } from './operation/metrics.ts';
import { createOperatorNotices } from './operation/tell-operator.ts';
import { acceptsRecordings } from './operation/troubles.ts';
import { type Installation, serves } from './parts/installation.ts';
import { createListener } from './parts/listener.ts';
import { openAccounts } from './parts/open-accounts.ts';
import { openAnalysis } from './parts/open-analysis.ts';
import { openMachines } from './parts/open-machines.ts';
import { openRecordings } from './parts/open-recordings.ts';
import { type Configured, openStores } from './parts/open-stores.ts';
import { PartStack } from './parts/part-stack.ts';
import { startChores } from './parts/start-chores.ts';
import type { ServerLimits } from './server-limits.ts';
import type { CurrentSettings } from './settings/operator-settings.ts';
import { createSetupCodes, isNew, setupInvitation } from './settings/setup-codes.ts';
import { createSpeciesPictures, createSpeciesSongs } from './species/pictures/species-pictures.ts';
import { createWikimedia } from './species/pictures/wikimedia.ts';
import { buildWorkerApp } from './worker-app.ts';

export interface ServerOptions extends Configured {
  readonly installation: Installation;
  readonly limits: ServerLimits;
}

/** A server with all its parts. */
export type Server = Awaited<ReturnType<typeof openServer>>;

/**
 * Opens everything the server needs and resumes what an earlier run left; `start` listens. It starts without a model or decoder. If a part
 * fails to open, all parts opened before it are closed.
 */
export async function openServer(options: ServerOptions) {
  const { config, secrets, log, installation, limits } = options;
  await using opening = new PartStack();
  const metrics = opening.add(createMetrics());
  const stores = await openStores(options, opening);
  const { database, settings, storage } = stores;
  const analysis = openAnalysis({ ...options, ...stores }, opening);
  const machines = opening.add(await openMachines({ ...options, ...stores }));
  const recordings = await openRecordings({ ...options, ...stores, ...analysis, ...machines, metrics }, opening);
  const places = opening.add(installation.openPlaces());
  const listener = createListener(config, log);
  const { publicUrl } = listener;
  const sends = createMailer(config, secrets);
  const mailer = sends && opening.add(countMails(sends, metrics.countMail));
  const identity = await openAccounts({ ...options, ...stores, ...machines, ...recordings, mailer, publicUrl }, opening);
  const missing = () => {
    // Also looks for a missing model when no request asks for it.
    void analysis.modelLoader.get().catch(() => {});
    return analysis.modelLoader.missing;
  };
  const model = () => analysis.modelLoader.loaded?.fingerprint ?? null;
  const notices = createOperatorNotices({ ...options, database, settings, mailer, missing, model });
  const contacts = () => [config.publicUrl, settings.current().terms.contactEmail].filter(Boolean).join('; ');
  const wikimedia = createWikimedia(() => `Chiffchaff/${programVersion.version} (${contacts()})`, installation.wikimediaHosts);
  const fetched = { storage, wikimedia, log, patienceMs: limits.pictureMs };
  const pictures = opening.add(createSpeciesPictures(fetched));
  const songs = opening.add(createSpeciesSongs({ ...fetched, service: analysis.service }));
  const setupCodes = createSetupCodes(database);
  const stopping = new AbortController();
  const parts = {
    ...options,
    ...stores,
    ...analysis,
    ...machines,
    ...recordings,
    metrics,
    identity,
    mailer,
    notices,
    places,
    pictures,
    songs,
    setupCodes,
  };
  const build = serves(config) ? buildApp : buildWorkerApp;
  const app = await build({ ...parts, pageFolder: installation.pageFolder, stopping: stopping.signal });
  if (serves(config)) warnOfBlanks(settings.current(), identity, log);

  metrics.observeCondition(() => ({
    findings: notices.latest,
    acceptsRecordings: acceptsRecordings(notices.latest, config),
    model: analysis.modelLoader.loaded?.model ?? null,
  }));
  // Missing parts have been logged, and each request that needs them says so.
  await analysis.modelLoader.get().catch(() => {});
  await startChores(parts, opening);
  const held = opening.move();
  app.addHook('onClose', () => held.disposeAsync());

  async function inviteToSetUp(print: (text: string) => void): Promise<void> {
    if (missingTerms(settings.current().terms).length === 0 || !(await isNew(database))) return;
    print(setupInvitation(listener.safestUrl(), await setupCodes.make({ replace: !isPostgres(database) })));
  }

  /** Stops work in flight instead of waiting for it. */
  function hurry(): void {
    stopping.abort(new DOMException('The server is stopping', 'AbortError'));
    database.stopWaiting();
  }

  return {
    ...recordings,
    app,
    modelLoader: analysis.modelLoader,
    identity,
    database,
    storage,
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
      void analysis.modelLoader.ready.then(() => onReady(url));
      if (!serves(config)) return url;
      if (print) await inviteToSetUp(print);
      places
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
