import { z } from 'zod';
import { readIntact, writeAtomically } from '../atomic-file.ts';
import type { ZoneTable } from './zone-table.ts';

/** The file: a line of JSON, then the values. */
const headSchema = z.object({ inputs: z.string(), zones: z.array(z.string()), regions: z.string() });

/**
 * @param inputs identifies what the table is made from
 * @returns null if there is no intact file made from these inputs
 */
export async function readZoneTable(path: string, inputs: string, labelCount: number): Promise<ZoneTable | null> {
  try {
    const bytes = await readIntact(path);
    if (bytes === null) return null;
    const end = bytes.indexOf(10);
    const { inputs: found, ...head } = headSchema.parse(JSON.parse(bytes.toString('utf8', 0, end)));
    const kept = bytes.subarray(end + 1);
    // Other threads share it.
    const values = new Uint8Array(new SharedArrayBuffer(kept.length));
    values.set(kept);
    return found === inputs && values.length === head.zones.length * labelCount ? { ...head, values } : null;
  } catch {
    // Missing or damaged: the caller makes it again.
    return null;
  }
}

export async function writeZoneTable(path: string, inputs: string, { zones, regions, values }: ZoneTable): Promise<void> {
  await writeAtomically(path, [Buffer.from(`${JSON.stringify({ inputs, zones, regions })}\n`), values]);
}
