import { announcedSizes } from './announced-sizes.ts';
import type { Attack } from './attack.ts';
import { fullDisk } from './full-disk.ts';
import { attackWithLargeAnswers } from './large-answers.ts';
import { lookAtSounds } from './look-at-sounds.ts';
import { lostDatabase } from './lost-database.ts';
import { resetTiming } from './reset-timing.ts';
import { silentConnections } from './silent-connections.ts';
import { slowUploads } from './slow-uploads.ts';
import { staticLoops } from './static-loops.ts';
import { writeLock } from './write-lock.ts';

/** By the name that `npm run trial -- attack NAME` is given. */
export const attacks = {
  'announced-sizes': announcedSizes,
  'full-disk': fullDisk,
  'large-answers': attackWithLargeAnswers,
  'look-at-sounds': lookAtSounds,
  'lost-database': lostDatabase,
  'reset-timing': resetTiming,
  'silent-connections': silentConnections,
  'slow-uploads': slowUploads,
  'static-loops': staticLoops,
  'write-lock': writeLock,
} as const satisfies Readonly<Record<string, Attack>>;
