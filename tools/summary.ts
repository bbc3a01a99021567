import type { TestRecord } from './test-record.ts';

/** A run fails if more tests than this passed only on a second or third attempt. */
const MAX_UNSTABLE = 5;

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The end of the log without the closing line: failed, unstable and skipped tests, unfinished files, times. */
  readonly lines: readonly string[];
}

export interface SummaryOptions {
  /** A skipped test counts as failed: in continuous integration, everything that tests can use is installed. */
  readonly nothingSkipped: boolean;
}

type Result = Extract<TestRecord, { kind: 'result' }>;

const nameOf = ({ file, test }: Pick<Result, 'file' | 'test'>): string => [file, test].filter(Boolean).join(' > ');

/** Files that started and did not finish, with the last test that started in each. */
function findUnfinished(records: readonly TestRecord[]): string[] {
  const running = new Map<string, string>();
  for (const record of records) {
    if (record.kind === 'started') running.set(record.file, nameOf(record));
    if (record.kind === 'finished') running.delete(record.file);
  }
  return [...running.values()];
}

/** Counts results, and lists in as few lines as possible what is wrong. */
export function summarise(records: readonly TestRecord[], { nothingSkipped }: SummaryOptions): Summary {
  const results = records.filter((record) => record.kind === 'result');
  const inOrder = results.toSorted((one, other) => one.file.localeCompare(other.file));
  const of = (state: Result['state']) => inOrder.filter((result) => result.state === state);
  const [failed, unstable, skipped, unfinished] = [of('failed'), of('unstable'), of('skipped'), findUnfinished(records)];
  const tooMany = unstable.length > MAX_UNSTABLE;
  const leftovers = records.flatMap((record) => (record.kind === 'leftover' ? `left running, and killed: ${record.line}` : []));
  const parts = records.flatMap((record) => (record.kind === 'part' ? `${record.name} ${record.seconds} s` : []));
  const forbidden = nothingSkipped && skipped.length > 0;
  return {
    passed: of('passed').length + unstable.length,
    failed: failed.length + unfinished.length + (tooMany ? 1 : 0) + (forbidden ? skipped.length : 0),
    skipped: forbidden ? 0 : skipped.length,
    lines: [
      ...failed.flatMap((result) => [`✗ ${nameOf(result)}`, `    ${result.reason}`]),
      ...unfinished.map((name) => `✗ did not finish: ${name}`),
      ...unstable.map((result) => `unstable: ${nameOf(result)} (first failure: ${result.reason})`),
      ...(tooMany ? [`✗ ${unstable.length} tests are unstable; at most ${MAX_UNSTABLE} may be.`] : []),
      ...skipped.map((result) => `skipped: ${nameOf(result)}${result.reason && ` (${result.reason})`}`),
      ...(forbidden ? ['✗ No test may be skipped here (REQUIRE_EXTRAS=true): skipped tests count as failed.'] : []),
      ...leftovers,
      ...(parts.length > 0 ? [`times: ${parts.join(', ')}`] : []),
    ],
  };
}

/** The machine-readable line `N passed, N failed`. */
export const closingLine = ({ passed, failed, skipped }: Summary): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** Prints the end of a log, and sets the exit status. A run in which no test passed has failed. */
export function printSummary(summary: Summary, label = ''): void {
  process.stdout.write(`\n${[...summary.lines, `${label}${closingLine(summary)}`].join('\n')}\n`);
  process.exitCode = summary.failed === 0 && summary.passed > 0 ? 0 : 1;
}

/** Options from the environment. */
export const summaryOptions = (): SummaryOptions => ({ nothingSkipped: process.env.REQUIRE_EXTRAS === 'true' });
