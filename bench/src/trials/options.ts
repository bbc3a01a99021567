import { resolve } from 'node:path';
import { createCommand, nonEmptyText, numberWithin, oneOf } from '@chiffchaff/cli';
import { ATTACK_NAMES, runAttacks } from './attack/attacks.ts';
import { MACHINES_PARTS, runMachines } from './machines/run-machines.ts';
import type { TrialResult } from './trial-result.ts';

/** Reports progress with a line of text. */
type Say = (line: string) => void;
export type Trial = (say: Say) => Promise<TrialResult>;

/** Reads an argument that may be repeated; without it, all names count. */
const someOf = <Name extends string>(all: readonly Name[]) => {
  const read = oneOf(all);
  return (name: string, before: readonly Name[]): readonly Name[] => [...(before === all ? [] : before), read(name)];
};

const CHECKOUT = 'test another checkout, already set up, instead of this version';
const folder = (name: string): string => resolve(nonEmptyText(name));

const count = (min: number) => numberWithin({ min, max: Number.POSITIVE_INFINITY, whole: true });
const hasNoFaults = (report: { readonly faults: readonly unknown[] }): TrialResult => ({
  report,
  passed: report.faults.length === 0,
});

/** @throws UsageError when parsing the arguments */
export const trialCommand = (run: (trial: Trial) => Promise<void>) =>
  createCommand('trial')
    .description(
      `Tests a real server with the real model under real-world conditions. Prints the measurements and ends
with a status other than 0 if anything failed.`,
    )
    .addCommand(
      createCommand('crash')
        .description('kill -9 at random moments under mixed load')
        .option('--kills <N>', 'number of kills', count(1), 50)
        .option('--seed <N>', 'the same seed gives the same moments', count(0), 1)
        .option('--checkout <DIR>', CHECKOUT, folder)
        .action((options) =>
          run(async (say) => {
            const report = await (await import('./machines/crash.ts')).runCrashes({ ...options, say });
            return { report, passed: report.faults.length === 0 && report.untried.length === 0 };
          }),
        ),
    )
    .addCommand(
      createCommand('load')
        .description('many clients at once, against the bare recogniser')
        .option('--clients <N>', 'clients that send without pause', count(1), 64)
        .option('--seconds <N>', 'duration of each round', count(1), 60)
        .option('--rounds <N>', 'number of rounds', count(1), 1)
        .option('--kept <KEPT>', 'audio the server keeps: nothing or default', oneOf(['nothing', 'default']), 'nothing' as const)
        .action((options) => run(async (say) => (await import('./load/run-load.ts')).runLoad({ ...options, say }))),
    )
    .addCommand(
      createCommand('hours')
        .description('a recording of many hours, interrupted if requested, with short ones alongside')
        .option('--hours <N>', 'length of the recording', numberWithin({ min: 0.1, max: 168 }), 10)
        .option('--kill-at <PART>', 'kill the server when this fraction is done', numberWithin({ min: 0, max: 1 }))
        .option('--beside <N>', 'number of short recordings alongside', count(0), 0)
        .action(({ killAt = null, ...options }) =>
          run(async (say) => hasNoFaults(await (await import('./hours.ts')).runHours({ ...options, killAt, say }))),
        ),
    )
    .addCommand(
      createCommand('thresholds')
        .description('thresholds on simulated detections: how often their intervals hold the truth, and how many are right')
        .option('--sets <N>', 'surveys for each shape and number of labels', count(1), 2)
        .option('--species <N>', 'species of each', count(1), 40)
        .option('--target <SHARE>', 'precision that is wanted', numberWithin({ min: 0.5, max: 0.999 }), 0.9)
        .option('--seed <N>', 'the same seed gives the same detections', count(0), 1)
        .action((options) => run(async () => hasNoFaults((await import('./thresholds.ts')).runThresholds(options)))),
    )
    .addCommand(
      createCommand('machines')
        .description(
          `web and worker machines, PostgreSQL and an S3 server. Parts:
  away      PostgreSQL and the storage, unavailable for 20 s each under load
  move      500 predictions moved from one machine to PostgreSQL and S3, and back, with kills
  scaling   throughput with more workers: with a stand-in that waits a second, and with workers of half a core
  faults    kill -9 of machines and stores, and cut, stalled and slow connections, under load`,
        )
        .argument('[PART...]', 'parts to run', someOf(MACHINES_PARTS), MACHINES_PARTS)
        .option('--faults <N>', 'number of faults', count(1), 100)
        .option('--seed <N>', 'the same seed gives the same faults', count(0), 1)
        .option('--checkout <DIR>', CHECKOUT, folder)
        .action((parts, options) => run(async (say) => runMachines(parts, { ...options, say }))),
    )
    .addCommand(
      createCommand('inputs')
        .description("people's recordings, tables and lists, a folder each, with which programs went wrong without a word")
        .argument('<FOLDER>', 'the folder of all inputs', folder)
        .argument('[NAME...]', 'inputs to try; all when absent')
        .action((from, names) => run(async () => ({ passed: await (await import('./inputs.ts')).runInputs(from, names) }))),
    )
    .addCommand(
      createCommand('attack')
        .description('what one client can do to the others: a row for each attack, with its limit')
        .argument('[NAME...]', 'attacks to run', someOf(ATTACK_NAMES), ATTACK_NAMES)
        .option('--checkout <DIR>', CHECKOUT, folder)
        .action((names, { checkout }) => run(async (say) => ({ passed: await runAttacks(names, { checkout, say }) }))),
    );
