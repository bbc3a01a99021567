import { createHash } from 'node:crypto';

/** Google's projects have a number besides their name, and answers hold it; ours is derived from the name. Twelve digits. */
export function projectNumberOf(projectId: string): string {
  const bits = createHash('sha256').update(projectId).digest().readUIntBE(0, 6);
  return String(100_000_000_000 + (bits % 900_000_000_000));
}
