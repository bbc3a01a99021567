import { SingleBar } from 'cli-progress';
import { printable, say, type Terminal } from './terminal.ts';

/** Shows on stderr how far a command is: a bar on a terminal, plain lines elsewhere. */
export interface Progress {
  /** @param fraction 0–1 of everything, null when unknown */
  readonly update: (fraction: number | null, doing: string) => void;
  /** A line that stays, above the bar. */
  readonly note: (line: string) => void;
  readonly stop: () => void;
}

const LINE_EVERY_MS = 5000;

export function createProgress(terminal: Terminal): Progress {
  return terminal.err.isTTY === true ? createBar(terminal) : createLines(terminal);
}

function createBar(terminal: Terminal): Progress {
  const bar = new SingleBar({
    // cli-progress types only know NodeJS.WritableStream; a Writable is one.
    stream: terminal.err as NodeJS.WritableStream,
    format: '{bar} {percentage} % {doing}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    fps: 8,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
    linewrap: false,
  });
  let started = false;
  const stop = () => {
    if (started) bar.stop();
    started = false;
  };
  return {
    update: (fraction, doing) => {
      if (!started) bar.start(1000, 0, { doing: '' });
      started = true;
      bar.update(Math.round((fraction ?? 0) * 1000), { doing: printable(doing) });
    },
    note: (line) => {
      stop();
      say(terminal, line);
    },
    stop,
  };
}

function createLines(terminal: Terminal): Progress {
  let lastMs = Date.now();
  return {
    update: (fraction, doing) => {
      if (Date.now() - lastMs < LINE_EVERY_MS) return;
      lastMs = Date.now();
      say(terminal, `${fraction === null ? '' : `${Math.floor(fraction * 100)} % `}${printable(doing)}`);
    },
    note: (line) => say(terminal, line),
    stop: () => undefined,
  };
}
