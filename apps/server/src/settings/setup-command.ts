import type { Database } from '../database/open-database.ts';
import { createSetupCodes, setupInvitation } from './setup-codes.ts';

/** `chiffchaff admin setup`: makes a code in the place of all earlier ones. @returns what to print; the only place where the code is */
export async function setupCommand(database: Database, origin: string): Promise<string> {
  return setupInvitation(origin, await createSetupCodes(database).make({ replace: true }));
}
