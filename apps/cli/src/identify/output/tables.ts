import type { Terminal } from '../../terminal/terminal.ts';
import type { Format } from '../options.ts';
import { type Destination, openFile, standardOutput } from './destination.ts';
import { outputFormats } from './formats.ts';
import type { Outcome, OutputFormatInput } from './outcome.ts';
import type { Target } from './target.ts';

/** The tables of a run, each with its format and destination. */
export interface Tables {
  begin(input: OutputFormatInput): Promise<void>;
  add(outcome: Outcome): Promise<void>;
  /** @returns whether every format includes the attribution */
  end(attribution: string): Promise<boolean>;
  /** Discards unfinished tables. */
  close(): Promise<void>;
}

/** @throws SetUpError when a file cannot be written */
export async function openTables(target: Target | null, formats: readonly Format[], terminal: Terminal): Promise<Tables> {
  const destinations: Destination[] = [];
  for (const { path, shownAs } of target?.outputs ?? []) destinations.push(await openFile(path, shownAs));
  if (target === null) destinations.push(standardOutput(terminal));
  let tables: { readonly destination: Destination; readonly format: ReturnType<(typeof outputFormats)[Format]> }[] = [];
  return {
    async begin(input) {
      tables = destinations.map((destination, index) => ({
        destination,
        format: outputFormats[formats[index] ?? 'table'](input),
      }));
      for (const { destination, format } of tables) await destination.write(format.head ?? '');
    },
    async add(outcome) {
      for (const { destination, format } of tables) await destination.write(format.one(outcome));
    },
    async end(attribution) {
      for (const { destination, format } of tables) {
        await destination.write(format.foot?.(attribution) ?? '');
        await destination.finish();
      }
      return tables.every(({ format }) => format.foot !== undefined);
    },
    async close() {
      for (const destination of destinations) await destination.close();
    },
  };
}
