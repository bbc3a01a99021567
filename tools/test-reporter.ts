import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';
import { RECORD_FILE, type TestRecord, writeRecord } from './test-record.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const COLOURS = /\u001b\[[0-9;]*m/g;
const MAX_REASON_LENGTH = 300;

interface Failure {
  readonly name?: string;
  readonly message: string;
  readonly stacks?: readonly { readonly file: string; readonly line: number }[];
}

const pathOf = (file: string): string => relative(process.cwd(), file);

/** The kind of a failure, the first line of its message, and where it was thrown. */
function reasonOf(errors: readonly Failure[] | undefined): string {
  const [error] = errors ?? [];
  if (error === undefined) return 'no reason was given';
  const [line = ''] = error.message.replace(COLOURS, '').trim().split('\n');
  const [place] = error.stacks ?? [];
  const where = place === undefined ? '' : ` (${pathOf(place.file)}:${place.line})`;
  return `${error.name ?? 'Error'}: ${line.slice(0, MAX_REASON_LENGTH)}${where}`;
}

/** The result of a test; null if it did not run because its file failed. */
function readResult(test: TestCase): Pick<Extract<TestRecord, { kind: 'result' }>, 'state' | 'reason'> | null {
  const result = test.result();
  switch (result.state) {
    case 'passed':
      return test.diagnostic()?.flaky ? { state: 'unstable', reason: reasonOf(result.errors) } : { state: 'passed', reason: '' };
    case 'failed':
      return { state: 'failed', reason: reasonOf(result.errors) };
    case 'skipped':
      return { state: 'skipped', reason: result.note ?? '' };
    case 'pending':
      return null;
  }
}

/** Records events as they happen in the file TEST_RECORD_FILE. */
export default class RecordingReporter implements Reporter {
  readonly #file = process.env[RECORD_FILE];
  readonly #finished = new Set<string>();
  #isChosen: (test: TestCase) => boolean = () => true;

  onInit({ config: { tagsFilter = [] } }: Vitest): void {
    // With a tag filter, vitest reports all other tests as skipped; these are not recorded.
    const [only] = tagsFilter;
    if (only !== undefined) this.#isChosen = ({ tags }) => tags.includes(only.replace('!', '')) !== only.startsWith('!');
  }

  #write(record: TestRecord): void {
    if (this.#file) writeRecord(this.#file, record);
  }

  #fail(file: string, test: string, errors: readonly Failure[]): void {
    if (errors.length > 0) this.#write({ kind: 'result', file, test, state: 'failed', reason: reasonOf(errors) });
  }

  onTestModuleQueued(module: TestModule): void {
    this.#write({ kind: 'started', file: pathOf(module.moduleId), test: '' });
  }

  onTestCaseReady(test: TestCase): void {
    // Workers report in batches, so a test's start can arrive after its file has ended.
    if (this.#finished.has(test.module.moduleId)) return;
    this.#write({ kind: 'started', file: pathOf(test.module.moduleId), test: test.fullName });
  }

  /** Records all results of a file: vitest does not report skipped tests, or those that did not run, one by one. */
  onTestModuleEnd(module: TestModule): void {
    const file = pathOf(module.moduleId);
    this.#finished.add(module.moduleId);
    this.#fail(file, '', module.errors());
    for (const suite of module.children.allSuites()) this.#fail(file, suite.fullName, suite.errors());
    for (const test of module.children.allTests()) {
      const result = this.#isChosen(test) ? readResult(test) : null;
      if (result) this.#write({ kind: 'result', file, test: test.fullName, ...result });
    }
    this.#write({ kind: 'finished', file });
  }

  /** Records errors that belong to no test: an unhandled rejection, a crashed worker. */
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const error of errors) this.#fail('', '', [error]);
  }
}
