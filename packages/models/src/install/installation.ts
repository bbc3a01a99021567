import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What an installed folder was made from: as long as none of it changes, it is not made again. */
const installationSchema = z.strictObject({
  stampVersion: z.literal(1),
  converterVersion: z.int(),
  form: z.enum(['plain', 'fast']),
  /** The published files' hashes. */
  sources: z.strictObject({ audio: z.string(), occurrence: z.string() }),
  /** Hash over the project's description of the model. */
  description: z.string(),
  /** Where the files came from, for people. */
  origin: z.string(),
});

export type Installation = z.infer<typeof installationSchema>;

export const INSTALLATION_FILE = 'installation.json';

/** `null` when there is none, or one of another form: then the folder is made anew. */
export async function readInstallation(folder: string): Promise<Installation | null> {
  try {
    const parsed = installationSchema.safeParse(JSON.parse(await readFile(join(folder, INSTALLATION_FILE), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Whether the graphs of an installed folder are those that would be made now. */
export const sameGraphs = (first: Installation, second: Installation): boolean =>
  first.converterVersion === second.converterVersion &&
  first.form === second.form &&
  first.sources.audio === second.sources.audio &&
  first.sources.occurrence === second.sources.occurrence;
