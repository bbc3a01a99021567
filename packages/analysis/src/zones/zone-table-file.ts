import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writeWhole } from '../aside-file.ts';
import type { ZoneTable } from './zone-table.ts';

/** A line of JSON, then the values. */
const headSchema = z.object({ inputs: z.string(), zones: z.array(z.string()), regions: z.string() });

/** @param inputs what the table was made of; a file that was made of something else is none */
export async function readZoneTable(path: string, inputs: string, labelCount: number): Promise<ZoneTable | null> {
  try {
    const bytes = await readFile(path);
    const end = bytes.indexOf(10);
    const { inputs: found, ...head } = headSchema.parse(JSON.parse(bytes.toString('utf8', 0, end)));
    const values = new Uint8Array(bytes.subarray(end + 1));
    return found === inputs && values.length === head.zones.length * labelCount ? { ...head, values } : null;
  } catch {
    // Not there, or not whole: it is made anew.
    return null;
  }
}

export async function writeZoneTable(path: string, inputs: string, { zones, regions, values }: ZoneTable): Promise<void> {
  await writeWhole(path, [Buffer.from(`${JSON.stringify({ inputs, zones, regions })}\n`), values]);
}
