import { repeat } from '../repeat.ts';
import { removeStrays } from '../storage/compare-storage.ts';
import { works } from './installation.ts';
import type { Parts } from './open-parts.ts';
import type { PartStack } from './part-stack.ts';

/** Each machine looks: its disk and its clock are its own. */
const TROUBLES_EVERY_MS = 60_000;

/** For a timer, and for a schedule that several machines share. */
const everyMinutes = (minutes: number) => ({ everyMs: minutes * 60_000, cron: `*/${minutes} * * * *` });
const everyHours = (hours: number, cron = `0 */${hours} * * *`) => ({ everyMs: hours * 3_600_000, cron });

/**
 * Resumes what an earlier run left, starts working, and cleans up from time to time: by timers, or by schedules of which each runs on one
 * machine at a time.
 */
export async function startChores(options: Parts, parts: PartStack): Promise<void> {
  const { config, database, storage, sounds, resumable, predictions, identity, notices, log } = options;
  const failed = (chore: string, error: unknown) =>
    log.error({ err: error, chore }, 'a scheduled task failed; it will run again when it is due');
  const compare = async (mayArrive?: boolean) =>
    sounds.prepareAgain(await removeStrays({ storage, query: database.query }, mayArrive));
  const chores = [
    { name: 'sweep-sounds', ...everyMinutes(1), work: sounds.sweep },
    { name: 'purge-deleted', ...everyMinutes(1), work: predictions.sweep },
    { name: 'sweep-uploads', ...everyMinutes(10), work: resumable.sweep },
    { name: 'clear-counts', ...everyMinutes(10), work: options.clearCounts },
    { name: 'maintain-accounts', ...everyHours(6), work: identity.service.maintain },
    { name: 'compare-storage', ...everyHours(24, '17 3 * * *'), work: () => compare() },
  ];
  if (works(config)) {
    await sounds.sweep();
    await resumable.sweep();
  }
  await predictions.start();
  // A bucket takes too long to be compared at each start of a machine.
  if (!storage.isShared) await compare(false);
  await notices.look().catch((error: unknown) => failed('look-for-troubles', error));
  parts.add(repeat(notices.look, TROUBLES_EVERY_MS, (error) => failed('look-for-troubles', error)));
  if (!works(config)) return;
  if (storage.isShared) await sounds.startPreparing();
  parts.add(await options.runChores(chores, failed));
}
