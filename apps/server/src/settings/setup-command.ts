import type { Database } from '../database/database.ts';
import { createSetupCodes, setupInvitation } from './setup-codes.ts';

/** `chiffchaff admin setup`: creates a code in place of all earlier ones. @returns the text to print, the only place that has the code */
export async function setupCommand(database: Database, origin: string): Promise<string> {
  return setupInvitation(origin, await createSetupCodes(database).make({ replace: true }));
}
