import { resolve } from 'node:path';
import { createCommand, numberWithin, oneOf, someText } from '@chiffchaff/cli';
import { attacks } from './attacks/attacks.ts';

/** What a trial prints, and whether everything was as promised. */
export interface TrialResult {
  readonly report: unknown;
  readonly passed: boolean;
}

/** Tells a line of how far the trial is. */
type Say = (line: string) => void;
export type Trial = (say: Say) => Promise<TrialResult>;

const ATTACKS = Object.keys(attacks) as (keyof typeof attacks)[];

const count = (min: number) => numberWithin({ min, max: Number.POSITIVE_INFINITY, whole: true });
const hasNoFaults = (report: { readonly faults: readonly unknown[] }): TrialResult => ({
  report,
  passed: report.faults.length === 0,
});

/** @throws UsageError from its parsing */
export const trialCommand = (run: (trial: Trial) => Promise<void>) =>
  createCommand('trial')
    .description(
      `Tries on a real server with the real model what a server goes through. Prints what it measured;
ends with a status other than 0 when something was not as promised.`,
    )
    .addCommand(
      createCommand('crash')
        .description('kill -9 at random moments under mixed load')
        .option('--kills <N>', 'how often', count(1), 50)
        .option('--seed <N>', 'the same seed gives the same moments', count(0), 1)
        .action((options) =>
          run(async (say) => {
            const report = await (await import('./crash/run-crashes.ts')).runCrashes({ ...options, say });
            return { report, passed: report.faults.length === 0 && report.untried.length === 0 };
          }),
        ),
    )
    .addCommand(
      createCommand('load')
        .description('many clients at once, against the bare recogniser')
        .option('--clients <N>', 'senders without a pause', count(1), 64)
        .option('--seconds <N>', 'of each round', count(1), 60)
        .option('--rounds <N>', 'measurements in turns', count(1), 1)
        .option(
          '--kept <KEPT>',
          'sound that the server keeps: nothing or default',
          oneOf(['nothing', 'default']),
          'nothing' as const,
        )
        .action((options) =>
          run(async (say) => {
            const report = await (await import('./load/run-load.ts')).runLoad({ ...options, say });
            return { report, passed: report.wrong === 0 && report.errors.length === 0 };
          }),
        ),
    )
    .addCommand(
      createCommand('restore')
        .description('a backup under load, restored elsewhere')
        .option('--seconds <N>', 'of load', numberWithin({ min: 1, max: 10, whole: true }), 10)
        .option('--seed <N>', 'the same seed gives the same load', count(0), 1)
        .action((options) =>
          run(async (say) => hasNoFaults(await (await import('./restore/run-restore.ts')).runRestore({ ...options, say }))),
        ),
    )
    .addCommand(
      createCommand('hours')
        .description('a recording of hours, interrupted on request, with short ones beside it')
        .option('--hours <N>', 'length of the recording', numberWithin({ min: 0.1, max: 168 }), 10)
        .option('--kill-at <PART>', 'kill the server when this part of it is done', numberWithin({ min: 0, max: 1 }))
        .option('--beside <N>', 'short recordings beside it', count(0), 0)
        .action(({ killAt = null, ...options }) =>
          run(async (say) => hasNoFaults(await (await import('./hours/run-hours.ts')).runHours({ ...options, killAt, say }))),
        ),
    )
    .addCommand(
      createCommand('older')
        .description('the data folder of an older version, opened by this one and killed meanwhile')
        .requiredOption('--checkout <DIR>', 'the older version, set up', someText)
        .option('--kills <N>', 'how often this version is killed while it opens the folder', count(0), 5)
        .option('--seed <N>', 'the same seed gives the same moments', count(0), 1)
        .action(({ checkout, ...options }) =>
          run(async (say) =>
            hasNoFaults(await (await import('./older/run-older.ts')).runOlder({ ...options, checkout: resolve(checkout), say })),
          ),
        ),
    )
    .addCommand(
      createCommand('attack')
        .description(`one client against the others: ${ATTACKS.join(', ')}`)
        .argument('<NAME>', 'of the attack', oneOf(ATTACKS))
        .option('--checkout <DIR>', "a server of another checkout, instead of this version's", someText)
        .action((name, { checkout }) =>
          run(async (say) =>
            hasNoFaults(await attacks[name]({ checkout: checkout === undefined ? undefined : resolve(checkout), say })),
          ),
        ),
    );
