/** `node several-program.ts RUN OPTIONS` runs the trials, on the machine `load` of a network that another process has created. */

import type { TrialResult } from '../trial-result.ts';
import { machineNames } from './cluster.ts';
import { openNetwork } from './network.ts';

/** What the program on the machine `load` sends: lines as it progresses, and finally the result. */
export type ProgramMessage = { readonly line: string } | { readonly result: TrialResult };

/** The trials to run; those that are absent do not run. */
export interface SeveralOptions {
  readonly scaling?: boolean | undefined;
  /** number of faults */
  readonly faults?: number | undefined;
  readonly seed: number;
  /** the older commit */
  readonly upgrade?: string | undefined;
  readonly journey?: boolean | undefined;
  readonly away?: boolean | undefined;
}

// Each machine adds an exit listener, to end with this process.
process.setMaxListeners(0);
const tell = (told: ProgramMessage): Promise<void> =>
  new Promise((resolve, reject) => process.send?.(told, (error: Error | null) => (error ? reject(error) : resolve())));
const say = (line: string): void => void tell({ line });
const [run = '', text = ''] = process.argv.slice(2);
const options: SeveralOptions = JSON.parse(text);
const network = openNetwork(Number(run), machineNames);

const trials: Readonly<Record<string, (() => Promise<TrialResult>) | false>> = {
  journey: options.journey === true && (async () => (await import('./journey.ts')).runJourney(network, say)),
  away: options.away === true && (async () => (await import('./away.ts')).runAway(network, say)),
  scaling: options.scaling === true && (async () => (await import('./scaling.ts')).runScaling(network, say)),
  upgrade:
    options.upgrade !== undefined &&
    (async () => (await import('./upgrade.ts')).runUpgrade(network, { commit: options.upgrade ?? '' }, say)),
  faults:
    options.faults !== undefined &&
    (async () => (await import('./faults.ts')).runFaults(network, { faults: options.faults ?? 0, seed: options.seed }, say)),
};
const reports: Record<string, unknown> = {};
let passed = true;
for (const [name, trial] of Object.entries(trials)) {
  if (trial === false) continue;
  say(`— ${name}`);
  const result = await trial().catch((error: unknown) => ({ report: stackOf(error), passed: false }));
  reports[name] = result.report;
  passed &&= result.passed;
  say(`${result.passed ? '✓' : '✗'} ${name}`);
}
await tell({ result: { report: reports, passed } });
process.exit();

/** A trial that throws does not prevent the others from running. */
function stackOf(error: unknown): string {
  const stack = (error instanceof Error ? error.stack : undefined) ?? String(error);
  say(stack);
  return stack;
}
