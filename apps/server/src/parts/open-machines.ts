import { join } from 'node:path';
import { isPostgres } from '../database/open-database.ts';
import { createMemoryLimiter } from '../http/limits/limiters.ts';
import { createSignOuts } from '../identity/accounts/sign-outs.ts';
import { KEYS_FOLDER_NAME, openKeyFolder } from '../identity/tokens/key-folder.ts';
import { createJobStore } from '../prediction/queue/job-store.ts';
import { createLocalQueue } from '../prediction/queue/local-queue.ts';
import { repeat } from '../repeat.ts';
import { works } from './installation.ts';
import { type Machines, newTicketKey } from './machines.ts';
import type { ServerOptions, Stores } from './open-stores.ts';

/** @throws DatabaseError */
export async function openMachines({ database, dataDir, config, log }: ServerOptions & Stores): Promise<Machines> {
  if (isPostgres(database)) {
    const { openSeveralMachines } = await import('../machines/several-machines.ts');
    return openSeveralMachines({ database, works: works(config), log });
  }
  return {
    createLimiter: createMemoryLimiter,
    signOuts: createSignOuts(),
    ticketKey: newTicketKey(),
    openKeys: () => openKeyFolder(join(dataDir, KEYS_FOLDER_NAME)),
    createQueue: (queue) => createLocalQueue({ ...queue, database, jobs: createJobStore(database) }),
    arrivals: null,
    async clearCounts() {},
    async runChores(chores, onError) {
      const repeats = chores.map(({ name, everyMs, work }) => repeat(work, everyMs, (error) => onError(name, error)));
      return { close: () => Promise.all(repeats.map((repeated) => repeated.close())) };
    },
    async close() {},
  };
}
