import { expect, it } from 'vitest';
import { createLog, readableLine } from './create-log.ts';

it('The log on a terminal is written as sentences, each with a mark of its level and its details', () => {
  const shown: string[] = [];
  const log = createLog('info', { isTTY: true, write: (text) => shown.push(String(text)) > 0 });
  log.info('stopped');
  log.warn({ code: 'MODEL_NOT_INSTALLED', files: 2 }, 'the model is missing');
  log.debug('not shown');
  log.error({ err: new Error('lost') }, 'a job could not be stored');
  expect(shown.join('')).toMatch(
    /^· stopped\n! the model is missing code="MODEL_NOT_INSTALLED" files=2\n✗ a job could not be stored\nError: lost\n {4}at /,
  );
});

it('The log on a terminal contains no control characters', () => {
  expect(readableLine(JSON.stringify({ level: 30, msg: 'a\u001b[2Jb', name: '\u001b[31m' }))).toBe('· ab name="\\u001b[31m"\n');
});
