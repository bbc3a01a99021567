import type { Attack } from './attack.ts';

/** By the name that `npm run trial -- attack NAME` is given. */
export const attacks: Readonly<Record<string, Attack>> = {};
