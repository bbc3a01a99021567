/** What is to be started, with which of its descriptors. */
export interface StartedProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Opened for reading, as descriptor 3. */
  readonly inputPath: string;
  /** Opened for writing, as descriptor 4; it is there already. */
  readonly outputPath: string | null;
  /** Lets others go first: 0 to 19 more than its parent. */
  readonly niceness: number;
}

export type StarterRequest =
  | { readonly kind: 'start'; readonly id: string; readonly socketPath: string; readonly program: StartedProgram }
  | { readonly kind: 'kill'; readonly id: string };

export interface StarterReply {
  readonly kind: 'ended';
  readonly id: string;
  /** null when it was killed, or could not be started */
  readonly code: number | null;
  /** what killed it */
  readonly signal: NodeJS.Signals | null;
  readonly error: string | null;
}

export type StreamName = 'stdout' | 'stderr';

/** The first bytes on each socket: which stream of which program it is. Always equally long. */
export const greetingOf = (id: string, stream: StreamName): string => `${id} ${stream}\n`;
/** of a greeting; ids are UUIDs */
export const GREETING_BYTES = 36 + 1 + 6 + 1;
