import type { Mailer } from '../identity/mail/mailer.ts';
import { openIdentity } from '../identity/open-identity.ts';
import type { Machines } from './machines.ts';
import type { Recordings } from './open-recordings.ts';
import type { ServerOptions, Stores } from './open-stores.ts';
import type { PartStack } from './part-stack.ts';

interface AccountsOptions extends ServerOptions, Stores, Recordings, Pick<Machines, 'createLimiter' | 'signOuts' | 'openKeys'> {
  readonly mailer: Mailer | null;
  /** Public origin of this server. */
  readonly publicUrl: () => string;
}

/** Opens the accounts, and says what else is deleted, stopped and exported with one. */
export async function openAccounts(options: AccountsOptions, parts: PartStack) {
  const { resumable, links, predictions, sounds, ...rest } = options;
  const identity = await openIdentity({
    ...rest,
    async onAccountDeleted(accountId, createdUntilMs) {
      await resumable.deleteAccount(accountId, createdUntilMs);
      await predictions.deleteAccount(accountId, createdUntilMs);
    },
    async onAccountEnded(accountId) {
      await Promise.all([resumable.deleteAccount(accountId), predictions.stopAccount(accountId)]);
    },
    // The export lists kept audio, which is downloaded file by file.
    exportParts: [
      { name: 'predictions', export: (accountId) => predictions.exportAccount(accountId) },
      { name: 'importedBirds', export: (accountId) => predictions.lifeList.imported(accountId) },
      { name: 'settings', export: async (accountId) => ({ keepAudio: await sounds.store.settingOf(accountId) }) },
      { name: 'links', export: (accountId) => links.ofAccount(accountId) },
      {
        name: 'keptAudio',
        export: async (accountId) =>
          [...(await sounds.keptAudioOf(accountId))].map(([predictionId, kept]) => ({ predictionId, ...kept })),
      },
    ],
  });
  parts.add(identity.service);
  return identity;
}
