/** Opens all parts of a server, one after the other, for `open-server.ts`; the routes take what they need of them. */
import { programVersion } from '@chiffchaff/analysis/program-version';
import { countMails } from '../identity/mail/mailer.ts';
import { createMailer } from '../identity/open-identity.ts';
import { createMetrics } from '../operation/metrics.ts';
import { createOperatorNotices } from '../operation/tell-operator.ts';
import { createSetupCodes } from '../settings/setup-codes.ts';
import { createSpeciesPictures, createSpeciesSongs } from '../species/pictures/species-pictures.ts';
import { createWikimedia } from '../species/pictures/wikimedia.ts';
import { createListener } from './listener.ts';
import { openAccounts } from './open-accounts.ts';
import { openAnalysis } from './open-analysis.ts';
import { openMachines } from './open-machines.ts';
import { openRecordings } from './open-recordings.ts';
import { openStores, type ServerOptions } from './open-stores.ts';
import type { PartStack } from './part-stack.ts';

export type Parts = Awaited<ReturnType<typeof openParts>>;

export async function openParts(options: ServerOptions, parts: PartStack) {
  const { config, secrets, log, installation, limits } = options;
  const metrics = parts.add(createMetrics());
  const stores = await openStores(options, parts);
  const { database, settings, storage } = stores;
  const analysis = openAnalysis({ ...options, ...stores }, parts);
  const machines = parts.add(await openMachines({ ...options, ...stores }));
  const recordings = await openRecordings({ ...options, ...stores, ...analysis, ...machines, metrics }, parts);
  const places = parts.add(installation.openPlaces());
  const listener = createListener(config, log);
  const sends = createMailer(config, secrets);
  const mailer = sends && parts.add(countMails(sends, metrics.countMail));
  const identity = await openAccounts(
    { ...options, ...stores, ...machines, ...recordings, mailer, publicUrl: listener.publicUrl },
    parts,
  );
  const missing = () => {
    // Also looks for a missing model when no request asks for it.
    void analysis.modelLoader.get().catch(() => {});
    return analysis.modelLoader.missing;
  };
  const notices = createOperatorNotices({ ...options, database, settings, mailer, missing });
  const contacts = () => [config.publicUrl, settings.current().terms.contactEmail].filter(Boolean).join('; ');
  const wikimedia = createWikimedia(() => `Chiffchaff/${programVersion.version} (${contacts()})`, installation.wikimediaHosts);
  const fetched = { storage, wikimedia, log, patienceMs: limits.pictureMs };
  const pictures = parts.add(createSpeciesPictures(fetched));
  const songs = parts.add(createSpeciesSongs({ ...fetched, service: analysis.service }));
  return {
    ...options,
    ...stores,
    ...analysis,
    ...machines,
    ...recordings,
    metrics,
    listener,
    identity,
    mailer,
    notices,
    places,
    pictures,
    songs,
    setupCodes: createSetupCodes(database),
    pageFolder: installation.pageFolder,
  };
}
