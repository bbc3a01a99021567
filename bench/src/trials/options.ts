import { resolve } from 'node:path';
import { createCommand, nonEmptyText, numberWithin, oneOf } from '@chiffchaff/cli';
import { attacks } from './attacks/attacks.ts';
import { MACHINES_PARTS, type MachinesPart, runMachines } from './machines/run-machines.ts';
import type { TrialResult } from './trial-result.ts';

/** Reports progress with a line of text. */
type Say = (line: string) => void;
export type Trial = (say: Say) => Promise<TrialResult>;

const ATTACKS = Object.keys(attacks) as (keyof typeof attacks)[];

const readPart = oneOf(MACHINES_PARTS);

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
        .option('--seconds <N>', 'duration of the load', numberWithin({ min: 1, max: 10, whole: true }), 10)
        .option('--seed <N>', 'the same seed gives the same load', count(0), 1)
        .action((options) =>
          run(async (say) => hasNoFaults(await (await import('./restore/run-restore.ts')).runRestore({ ...options, say }))),
        ),
    )
    .addCommand(
      createCommand('hours')
        .description('a recording of many hours, interrupted if requested, with short ones alongside')
        .option('--hours <N>', 'length of the recording', numberWithin({ min: 0.1, max: 168 }), 10)
        .option('--kill-at <PART>', 'kill the server when this fraction is done', numberWithin({ min: 0, max: 1 }))
        .option('--beside <N>', 'number of short recordings alongside', count(0), 0)
        .action(({ killAt = null, ...options }) =>
          run(async (say) =>
            hasNoFaults(await (await import('./hours/run-hours.ts')).runLongRecording({ ...options, killAt, say })),
          ),
        ),
    )
    .addCommand(
      createCommand('review')
        .description('labels by keyboard in a browser, while the command is killed with -9: none is lost')
        .option('--labels <N>', 'number of labels', count(1), 500)
        .option('--kills <N>', 'number of kills', count(0), 20)
        .option('--seed <N>', 'the same seed gives the same moments', count(0), 1)
        .action((options) =>
          run(async (say) =>
            hasNoFaults(await (await import('./review/run-review-trial.ts')).runReviewTrial({ ...options, say })),
          ),
        ),
    )
    .addCommand(
      createCommand('interrupted')
        .description('identify over a folder, killed with -9 at random moments and run again: its tables, byte for byte')
        .option('--files <N>', 'number of recordings', count(1), 500)
        .option('--kills <N>', 'number of kills', count(1), 50)
        .option('--seed <N>', 'the same seed gives the same moments', count(0), 1)
        .action((options) =>
          run(async (say) =>
            hasNoFaults(await (await import('./interrupted/run-interrupted.ts')).runInterrupted({ ...options, say })),
          ),
        ),
    )
    .addCommand(
      createCommand('segments')
        .description('segments cut out of hours of looped recordings: the time it takes, and whether they are what lies there')
        .option('--hours <N>', 'hours of sound, a file each', count(1), 100)
        .option('--species <N>', 'number of species', count(1), 20)
        .option('--per-species <N>', 'segments of each', count(1), 100)
        .option('--coding <NAME>', 'of the recordings: flac, opus or wav', oneOf(['flac', 'opus', 'wav']), 'flac' as const)
        .option('--seed <N>', 'the same seed gives the same table', count(0), 1)
        .action((options) =>
          run(async (say) =>
            hasNoFaults(await (await import('./segments/run-segments-trial.ts')).runSegmentsTrial({ ...options, say })),
          ),
        ),
    )
    .addCommand(
      createCommand('thresholds')
        .description(
          'thresholds on simulated detections: how often their intervals hold the truth, and how many labels they need',
        )
        .option('--sets <N>', 'surveys for each number of labels', count(1), 5)
        .option('--species <N>', 'species of each', count(1), 40)
        .option('--target <SHARE>', 'precision that is wanted', numberWithin({ min: 0.5, max: 0.999 }), 0.9)
        .option('--seed <N>', 'the same seed gives the same detections', count(0), 1)
        .action((options) =>
          run(async (say) =>
            hasNoFaults(await (await import('./thresholds/run-thresholds-trial.ts')).runThresholdsTrial({ ...options, say })),
          ),
        ),
    )
    .addCommand(
      createCommand('species')
        .description('the pages of all birds asked for in a row by a stranger, with another client alongside')
        .action(() => run(async (say) => hasNoFaults(await (await import('./species/run-species.ts')).runSpecies({ say })))),
    )
    .addCommand(
      createCommand('history')
        .description('a long history, listed, searched and summarised over HTTP, in SQLite and PostgreSQL, with query plans')
        .option('--predictions <N>', 'number of predictions', count(1), 100_000)
        .option('--accounts <N>', 'number of accounts', count(30), 1000)
        .option('--heavy <N>', 'predictions of the largest account', count(1), 5000)
        .option('--seed <N>', 'the same seed gives the same history', count(0), 1)
        .action((options) => run(async (say) => (await import('./history/run-history.ts')).runHistory({ ...options, say }))),
    )
    .addCommand(
      createCommand('machines')
        .description(
          `web and worker machines, PostgreSQL and an S3 server. Parts:
  journey   one recording sent through three web machines, and how soon each knows what another was told
  away      PostgreSQL and the storage, unavailable for 20 s each under load
  move      500 predictions moved from one machine to PostgreSQL and S3, and back, with kills
  scaling   throughput with more workers: with a stand-in that waits a second, and with the model
  faults    kill -9 of machines and stores, and cut, stalled and slow connections, under load`,
        )
        .argument('[PART...]', 'parts to run; all when absent', (name, before: MachinesPart[] = []) => [
          ...before,
          readPart(name),
        ])
        .option('--faults <N>', 'number of faults', count(1), 100)
        .option('--seed <N>', 'the same seed gives the same faults', count(0), 1)
        .option('--checkout <DIR>', CHECKOUT, folder)
        .action((parts, options) => run(async (say) => runMachines(parts ?? MACHINES_PARTS, { ...options, say }))),
    )
    .addCommand(
      createCommand('on-device')
        .description('recordings analysed in a page by itself and by the server: verdict and first bird compared')
        .option('--folder <DIR>', 'recordings (WAV, FLAC, MP3, Ogg, M4A, WebM); those of ../shared when absent', nonEmptyText)
        .action(({ folder }) =>
          run(async (say) =>
            (await import('./on-device/compare-answers.ts')).compareAnswers({
              folder: folder === undefined ? undefined : resolve(folder),
              say,
            }),
          ),
        ),
    )
    .addCommand(
      createCommand('listen')
        .description('live listening in a browser: memory and frames by the minute, and what killed tabs lose')
        .option('--minutes <N>', 'minutes of listening', count(0), 30)
        .option('--kills <N>', 'tabs killed after that', count(0), 20)
        .action((options) => run(async (say) => (await import('./listen/listen-long.ts')).listenLong(options, say))),
    )
    .addCommand(
      createCommand('attack')
        .description(`effects of one client on the others: ${ATTACKS.join(', ')}`)
        .argument('<NAME>', 'name of the attack', oneOf(ATTACKS))
        .option('--checkout <DIR>', 'test a server from another checkout instead of this version', nonEmptyText)
        .action((name, { checkout }) =>
          run(async (say) =>
            hasNoFaults(await attacks[name]({ checkout: checkout === undefined ? undefined : resolve(checkout), say })),
          ),
        ),
    );
