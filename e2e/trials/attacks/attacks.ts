import type { Attack } from './attack.ts';
import { lookAtSounds } from './look-at-sounds.ts';

/** By the name that `npm run trial -- attack NAME` is given. */
export const attacks: Readonly<Record<string, Attack>> = { 'look-at-sounds': lookAtSounds };
