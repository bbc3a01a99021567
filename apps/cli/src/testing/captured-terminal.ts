import { Writable } from 'node:stream';
import type { Terminal } from '../terminal/terminal.ts';

/** For tests: a terminal that records what is written. */
export function createCapturedTerminal(): Terminal & { readonly written: () => string; readonly said: () => string } {
  const [out, written] = captured();
  const [err, said] = captured();
  return { out, err, written, said };
}

function captured(): [Writable, () => string] {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(piece, _encoding, done) {
      pieces.push(String(piece));
      done();
    },
  });
  return [stream, () => pieces.join('')];
}
