/**
 * What a run of tests found, collected while it runs: `tools/test.ts` adds it to vitest's reporters and prints its lines last. If the run is
 * cut short, it names the files that had not finished.
 */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { root } from './process.ts';

/** A run fails if more tests than this passed only on a second or third attempt. */
const MAX_UNSTABLE = 5;
const MAX_REASON_LENGTH = 300;

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
function reasonOf(errors: readonly SerializedError[] | undefined): string {
  const [error] = errors ?? [];
  if (error === undefined) return 'no reason was given';
  const [line = ''] = stripVTControlCharacters(error.message).trim().split('\n');
  const [place] = error.stacks ?? [];
  const where = place === undefined ? '' : ` (${relative(root, place.file)}:${place.line})`;
  return `${error.name ?? 'Error'}: ${line.slice(0, MAX_REASON_LENGTH)}${where}`;
}

export class TestReport implements Reporter {
  readonly #results: Result[] = [];
  readonly #seconds = new Map<string, number>();
  readonly #parts: string[] = [];
  #vitest: Pick<Vitest, 'config' | 'state'> | undefined;
  #countBefore = 0;

  record(name: string, state: Result['state'], reason = ''): void {
    this.#results.push({ name, state, reason });
  }

  /** Runs a part of the run, notes how long it took, and records an error of it as a failed test. */
  async part(name: string, work: () => Promise<void>): Promise<void> {
    const start = performance.now();
    await work().catch((error: unknown) => this.record(name, 'failed', error instanceof Error ? error.message : String(error)));
    this.#parts.push(`${name} ${Math.round((performance.now() - start) / 1000)} s`);
  }

  onInit(vitest: Pick<Vitest, 'config' | 'state'>): void {
    this.#vitest = vitest;
    this.#countBefore = this.#results.length;
  }

  /** Records all results of a file: vitest does not report skipped tests, or those that did not run, one by one. */
  onTestModuleEnd(module: TestModule): void {
    const file = pathOf(module);
    const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
    const preparation = collectDuration + setupDuration + prepareDuration + environmentSetupDuration;
    this.#seconds.set(file, (duration + preparation) / 1000);
    if (module.errors().length > 0) this.record(file, 'failed', reasonOf(module.errors()));
    for (const suite of module.children.allSuites())
      if (suite.errors().length > 0) this.record(`${file} > ${suite.fullName}`, 'failed', reasonOf(suite.errors()));
    // With a tag filter, vitest reports all other tests as skipped; these are not recorded.
    const [only] = this.#vitest?.config.tagsFilter ?? [];
    for (const test of module.children.allTests()) {
      const result = test.result();
      const state = result.state === 'passed' && test.diagnostic()?.flaky ? 'unstable' : result.state;
      // A pending test did not run, because its file failed.
      if (state === 'pending') continue;
      if (only !== undefined && test.tags.includes(only.replace('!', '')) === only.startsWith('!')) continue;
      const reason = result.state === 'skipped' ? result.note : result.errors && reasonOf(result.errors);
      this.record(`${file} > ${test.fullName}`, state, reason);
    }
  }

  /** Records errors that belong to no test: an unhandled rejection, a crashed worker. */
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (this.#results.length === this.#countBefore) this.record('vitest', 'failed', 'it ran no test');
    for (const error of errors) this.record('outside tests', 'failed', reasonOf([error]));
  }

  /** The files that took longest, with their seconds. */
  slowest(count: number): string[] {
    const files = [...this.#seconds].sort(([, one], [, other]) => other - one).slice(0, count);
    return files.map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }

  /**
   * What is wrong, in as few lines as possible: failed tests and files that did not finish, unstable and skipped tests, the time of each
   * part, and the machine-readable line `N passed, N failed`.
   *
   * @param nothingSkipped counts a skipped test as failed: in continuous integration, everything that tests can use is installed
   */
  summary({ nothingSkipped }: { readonly nothingSkipped: boolean }): { readonly lines: string[]; readonly ok: boolean } {
    const inOrder = this.#results.toSorted((one, other) => one.name.localeCompare(other.name));
    const of = (state: Result['state']) => inOrder.filter((result) => result.state === state);
    const [unstable, skipped] = [of('unstable'), nothingSkipped ? [] : of('skipped')];
    const unfinished = this.#vitest?.state.getTestModules().filter((module) => ['queued', 'pending'].includes(module.state()));
    const failed = [
      ...of('failed'),
      ...(unfinished ?? []).map((module) => {
        const [test] = module.children.allTests('pending');
        return { name: pathOf(module), reason: `did not finish${test === undefined ? '' : `: ${test.fullName}`}` };
      }),
      ...(nothingSkipped
        ? of('skipped').map(({ name, reason }) => ({
            name,
            reason: `was skipped; here, no test may be${reason && ` (${reason})`}`,
          }))
        : []),
      ...(unstable.length > MAX_UNSTABLE ? [{ name: 'unstable tests', reason: `at most ${MAX_UNSTABLE} may be` }] : []),
    ];
    const passed = of('passed').length + unstable.length;
    const lines = [
      ...failed.flatMap(({ name, reason }) => [`✗ ${name}`, `    ${reason}`]),
      ...unstable.map(({ name, reason }) => `unstable: ${name} (first failure: ${reason})`),
      ...skipped.map(({ name, reason }) => `skipped: ${name}${reason && ` (${reason})`}`),
      ...(this.#parts.length > 0 ? [`times: ${this.#parts.join(', ')}`] : []),
      `${passed} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
    ];
    return { lines, ok: failed.length === 0 && passed > 0 };
  }
}
