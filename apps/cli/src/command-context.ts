import type { Config } from './config.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What every command receives. */
export interface CommandContext {
  readonly config: Config;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}
