import { stripVTControlCharacters } from 'node:util';
import { type Logger, pino } from 'pino';
import { z } from 'zod';

const recordSchema = z.looseObject({
  level: z.number(),
  msg: z.string().default(''),
  err: z.looseObject({ stack: z.string() }).optional(),
});

/** The same marks as in the output of set-up, by pino's levels: 50 is an error, 40 a warning. */
const markOf = (level: number): string => (level >= 50 ? '✗' : level >= 40 ? '!' : '·');

/** A line of the log for people at a terminal, in the style of set-up's output. */
export function readableLine(line: string): string {
  const { level, time: _time, msg, err, ...fields } = recordSchema.parse(JSON.parse(line));
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const text = `${markOf(level)} ${msg}${details.join('')}${err ? `\n${err.stack}` : ''}`;
  return `${stripVTControlCharacters(text)}\n`;
}

/** The log on standard error: one JSON object per line, or sentences on a terminal. */
export function createLog(level: string, stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): Logger {
  const options = { level, base: null };
  if (!stderr.isTTY) return pino(options, pino.destination(2));
  return pino(options, { write: (line) => void stderr.write(readableLine(line)) });
}
