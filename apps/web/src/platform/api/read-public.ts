import type { z } from 'zod';

/**
 * Reads a public resource. The browser may cache it, so that it stays readable for a while without a connection.
 *
 * @returns null when the server has no such resource (404)
 * @throws Error when the request fails, ZodError
 */
export async function readPublic<Value>(address: string, schema: z.ZodType<Value>, signal: AbortSignal): Promise<Value | null> {
  const response = await fetch(address, { signal, headers: { accept: 'application/json' } });
  if (response.status === 404) return null;
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}`);
  return schema.parse(await response.json());
}
