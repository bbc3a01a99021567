import type { z } from 'zod';

/**
 * Reads what the server tells everybody, as the browser has kept it where it may: such answers stay readable for a while without a connection.
 *
 * @returns null where there is no such thing
 * @throws Error when the call failed, ZodError
 */
export async function readPublic<Value>(address: string, schema: z.ZodType<Value>, signal: AbortSignal): Promise<Value | null> {
  const response = await fetch(address, { signal, headers: { accept: 'application/json' } });
  if (response.status === 404) return null;
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}`);
  return schema.parse(await response.json());
}
