import type { Attack } from './attack.ts';
import { announcedSizes } from './connections/announced-sizes.ts';
import { silentConnections } from './connections/silent-connections.ts';
import { slowUploads } from './connections/slow-uploads.ts';
import { staticLoops } from './connections/static-loops.ts';
import { cutExports } from './cut-exports.ts';
import { attackWithLargeAnswers } from './large-answers.ts';
import { lookAtSounds } from './look-at-sounds.ts';
import { manyExports } from './many-exports.ts';
import { fairShare } from './queue/fair-share.ts';
import { holdSlots } from './queue/hold-slots.ts';
import { twoDeaths } from './queue/two-deaths.ts';
import { resetTiming } from './reset-timing.ts';
import { fullDisk } from './storage/full-disk.ts';
import { lostDatabase } from './storage/lost-database.ts';
import { writeLock } from './storage/write-lock.ts';

/** The attacks by their names in `npm run trial -- attack NAME`. */
export const attacks = {
  'announced-sizes': announcedSizes,
  'cut-exports': cutExports,
  'fair-share': fairShare,
  'full-disk': fullDisk,
  'hold-slots': holdSlots,
  'large-answers': attackWithLargeAnswers,
  'look-at-sounds': lookAtSounds,
  'lost-database': lostDatabase,
  'many-exports': manyExports,
  'reset-timing': resetTiming,
  'silent-connections': silentConnections,
  'slow-uploads': slowUploads,
  'static-loops': staticLoops,
  'two-deaths': twoDeaths,
  'write-lock': writeLock,
} as const satisfies Readonly<Record<string, Attack>>;
