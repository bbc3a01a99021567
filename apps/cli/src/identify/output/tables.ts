import { mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { onOneLine, type TableOptions } from '@chiffchaff/contract';
import { cannotWrite } from '../../files.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Format } from '../options.ts';
import { type Destination, openFile, standardOutput, withoutEnding, writeWhole } from './destination.ts';
import { fileEndings, outputFormats } from './formats.ts';
import type { Outcome, OutputFormat } from './outcome.ts';
import type { Target } from './target.ts';

/** The tables of a run, each with its format and destination. */
export interface Tables {
  begin(): Promise<void>;
  add(outcome: Outcome): Promise<void>;
  /** @returns whether every format includes the attribution */
  end(attribution: string): Promise<boolean>;
  /** Discards unfinished tables. */
  close(): Promise<void>;
}

/** @throws SetUpError when a file cannot be written */
export async function openTables(
  target: Target | null,
  { formats, tables: options }: { readonly formats: readonly Format[]; readonly tables: TableOptions },
  terminal: Terminal,
): Promise<Tables> {
  const tables: { readonly destination: Destination; readonly format: OutputFormat }[] = [];
  const add = (destination: Destination, format: Format) => tables.push({ destination, format: outputFormats[format](options) });
  const folders = target?.outputs.filter(({ isFolder }) => isFolder) ?? [];
  // A table of Raven over several recordings goes with a list of them; a pipe has no place beside it.
  const listed = target?.outputs.find(({ format, isFolder }) => format === 'raven' && !isFolder && target.isReplaceable);
  const list: string[] = [];
  const makeFolder = (path: string, shownAs: string) =>
    mkdir(path, { recursive: true }).catch((error: unknown) => cannotWrite(shownAs, error));
  for (const { format, path, shownAs, isFolder } of target?.outputs ?? []) {
    await makeFolder(isFolder ? path : dirname(path), shownAs);
    if (!isFolder) add(await openFile(path, shownAs), format);
  }
  if (target === null) add(standardOutput(terminal), formats[0] ?? 'table');
  return {
    async begin() {
      for (const { destination, format } of tables) await destination.write(format.head ?? '');
    },
    async add(outcome) {
      for (const { destination, format } of tables) await destination.write(format.one(outcome));
      if (outcome.kind === 'failed') return;
      list.push(`${onOneLine(outcome.path)}\n`);
      for (const { format, path, shownAs } of folders) {
        // With the ending of the recording: a.wav and a.flac may be in one folder.
        const file = relative(target?.root ?? '', outcome.path) + fileEndings[format];
        await makeFolder(dirname(join(path, file)), shownAs);
        const { head = '', one } = outputFormats[format](options);
        await writeWhole(join(path, file), join(shownAs, file), [head + one(outcome)]);
      }
    },
    async end(attribution) {
      if (listed && list.length > 1)
        await writeWhole(`${withoutEnding(listed.path)}.list.txt`, `${withoutEnding(listed.shownAs)}.list.txt`, list);
      for (const { destination, format } of tables) {
        await destination.write(format.foot?.(attribution) ?? '');
        await destination.finish();
      }
      return folders.length === 0 && tables.every(({ format }) => format.foot !== undefined);
    },
    async close() {
      for (const { destination } of tables) await destination.close();
    },
  };
}
