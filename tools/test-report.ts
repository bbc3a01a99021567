/**
 * What a run of tests found, collected while it runs: `tools/test.ts` adds it to vitest's reporters and prints its lines last. Tests that
 * had started are named even if the run is cut short.
 */
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { root } from './process.ts';

/** A run fails if more tests than this passed only on a second or third attempt. */
const MAX_UNSTABLE = 5;
const MAX_REASON_LENGTH = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const COLOURS = /\u001b\[[0-9;]*m/g;

interface Failure {
  readonly name?: string;
  readonly message: string;
  readonly stacks?: readonly { readonly file: string; readonly line: number }[];
}

interface Result {
  /** File and title; a check or a part of the run has no file. */
  readonly name: string;
  /** `unstable`: passed, but not on the first attempt. */
  readonly state: 'passed' | 'failed' | 'skipped' | 'unstable';
  /** Why it failed (at first, if unstable) or was skipped, in one line. */
  readonly reason: string;
}

const pathOf = ({ moduleId }: TestModule): string => relative(root, moduleId);

/** The kind of a failure, the first line of its message, and where it was thrown. */
function reasonOf(errors: readonly Failure[] | undefined): string {
  const [error] = errors ?? [];
  if (error === undefined) return 'no reason was given';
  const [line = ''] = error.message.replace(COLOURS, '').trim().split('\n');
  const [place] = error.stacks ?? [];
  const where = place === undefined ? '' : ` (${relative(root, place.file)}:${place.line})`;
  return `${error.name ?? 'Error'}: ${line.slice(0, MAX_REASON_LENGTH)}${where}`;
}

export class TestReport implements Reporter {
  readonly #results: Result[] = [];
  /** File → the name of the test that has started last. */
  readonly #running = new Map<string, string>();
  readonly #seconds = new Map<string, number>();
  readonly #parts: string[] = [];
  #isChosen: (test: TestCase) => boolean = () => true;

  record(name: string, state: Result['state'], reason = ''): void {
    this.#results.push({ name, state, reason });
  }

  /** Runs a part of the run, notes how long it took, and records an error of it as a failed test. */
  async part(name: string, work: () => Promise<void>): Promise<void> {
    const start = performance.now();
    await work().catch((error: unknown) => this.record(name, 'failed', error instanceof Error ? error.message : String(error)));
    this.#parts.push(`${name} ${Math.round((performance.now() - start) / 1000)} s`);
  }

  /** The number of results so far. */
  get count(): number {
    return this.#results.length;
  }

  onInit({ config: { tagsFilter = [] } }: Vitest): void {
    // With a tag filter, vitest reports all other tests as skipped; these are not recorded.
    const [only] = tagsFilter;
    this.#isChosen = ({ tags }) => only === undefined || tags.includes(only.replace('!', '')) !== only.startsWith('!');
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(pathOf(module), pathOf(module));
  }

  onTestCaseReady(test: TestCase): void {
    // Workers report in batches, so a test's start can arrive after its file has ended.
    const file = pathOf(test.module);
    if (this.#running.has(file)) this.#running.set(file, `${file} > ${test.fullName}`);
  }

  /** Records all results of a file: vitest does not report skipped tests, or those that did not run, one by one. */
  onTestModuleEnd(module: TestModule): void {
    const file = pathOf(module);
    const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
    const preparation = collectDuration + setupDuration + prepareDuration + environmentSetupDuration;
    this.#seconds.set(file, (duration + preparation) / 1000);
    this.#running.delete(file);
    const recordFailure = (name: string, errors: readonly Failure[]) =>
      errors.length > 0 && this.record(name, 'failed', reasonOf(errors));
    recordFailure(file, module.errors());
    for (const suite of module.children.allSuites()) recordFailure(`${file} > ${suite.fullName}`, suite.errors());
    for (const test of module.children.allTests()) if (this.#isChosen(test)) this.#recordTest(`${file} > ${test.fullName}`, test);
  }

  #recordTest(name: string, test: TestCase): void {
    const result = test.result();
    // A pending test did not run, because its file failed.
    if (result.state === 'pending') return;
    if (result.state === 'skipped') this.record(name, 'skipped', result.note);
    else if (result.state === 'failed') this.record(name, 'failed', reasonOf(result.errors));
    else if (test.diagnostic()?.flaky) this.record(name, 'unstable', reasonOf(result.errors));
    else this.record(name, 'passed');
  }

  /** Records errors that belong to no test: an unhandled rejection, a crashed worker. */
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly Failure[]): void {
    for (const error of errors) this.record('outside tests', 'failed', reasonOf([error]));
  }

  /** The files that took longest, with their seconds. */
  slowest(count: number): string[] {
    const files = [...this.#seconds].sort(([, one], [, other]) => other - one).slice(0, count);
    return files.map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }

  /**
   * What is wrong, in as few lines as possible: failed tests first, then those that did not finish, unstable and skipped ones, the time of
   * each part, and the machine-readable line `N passed, N failed`.
   *
   * @param nothingSkipped counts a skipped test as failed: in continuous integration, everything that tests can use is installed
   */
  summary({ nothingSkipped }: { readonly nothingSkipped: boolean }): { readonly lines: string[]; readonly ok: boolean } {
    const inOrder = this.#results.toSorted((one, other) => one.name.localeCompare(other.name));
    const of = (state: Result['state']) => inOrder.filter((result) => result.state === state);
    const [failed, unstable, skipped, unfinished] = [of('failed'), of('unstable'), of('skipped'), [...this.#running.values()]];
    const tooMany = unstable.length > MAX_UNSTABLE;
    const forbidden = nothingSkipped && skipped.length > 0;
    const passed = of('passed').length + unstable.length;
    const allFailed = failed.length + unfinished.length + (tooMany ? 1 : 0) + (forbidden ? skipped.length : 0);
    const lines = [
      ...failed.flatMap(({ name, reason }) => [`✗ ${name}`, `    ${reason}`]),
      ...unfinished.map((name) => `✗ did not finish: ${name}`),
      ...unstable.map(({ name, reason }) => `unstable: ${name} (first failure: ${reason})`),
      ...(tooMany ? [`✗ ${unstable.length} tests are unstable; at most ${MAX_UNSTABLE} may be.`] : []),
      ...skipped.map(({ name, reason }) => `skipped: ${name}${reason && ` (${reason})`}`),
      ...(forbidden ? ['✗ No test may be skipped here: skipped tests count as failed.'] : []),
      ...(this.#parts.length > 0 ? [`times: ${this.#parts.join(', ')}`] : []),
      `${passed} passed, ${allFailed} failed${skipped.length > 0 && !forbidden ? `, ${skipped.length} skipped` : ''}`,
    ];
    return { lines, ok: allFailed === 0 && passed > 0 };
  }
}
