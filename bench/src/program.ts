import { createCommand, exitCode, numberWithin, type Program, say, writeAll } from '@chiffchaff/cli';
import { calibrateCommand } from './calibrate/options.ts';
import { evaluateCommand } from './evaluate/options.ts';
import { benchCommand } from './speed/options.ts';
import { trialCommand } from './trials/options.ts';

/** The `npm run` commands that measure, test, fit and draw. */
export const benchProgram: Program = (act) => {
  /** @param run resolves to false if a figure is beyond its limit */
  const tool = (name: string, description: string, run: () => Promise<unknown>) =>
    createCommand(name)
      .description(description)
      .action(() => act(async () => ((await run()) === false ? exitCode.input : exitCode.done)));
  return createCommand('npm run')
    .description('Measures and tests this program, and fits its confidence.')
    .addCommand(
      benchCommand((options) => act(async (context) => (await import('./speed/run-bench.ts')).runBench(options, context))),
    )
    .addCommand(
      tool(
        'bench:page',
        'Measures how fast the timeline draws and moves, and the memory of a tab with three hours of audio.',
        async () => (await import('./page/measure-timeline.ts')).measureTimeline(),
      ),
    )
    .addCommand(
      tool('bench:answer', 'Measures how fast a stored prediction with 20,000 detections opens and answers clicks.', async () =>
        (await import('./page/measure-answer.ts')).measureAnswer(),
      ),
    )
    .addCommand(
      tool('bench:device', 'Measures an hour analysed on the device, and live listening.', async () =>
        (await import('./page/measure-device.ts')).measureDevice(),
      ),
    )
    .addCommand(
      createCommand('lighthouse')
        .description(
          'Measures the built page with Lighthouse and its mobile settings. Ends with status 1 if a score is below 95.',
        )
        .option('--runs <N>', 'runs per screen; the medians count', numberWithin({ min: 1, max: 100, whole: true }), 3)
        .action(({ runs }) =>
          act(async () => ((await (await import('./page/lighthouse.ts')).runLighthouse(runs)) ? exitCode.done : exitCode.input)),
        ),
    )
    .addCommand(
      trialCommand((trial) =>
        act(async ({ terminal }) => {
          const { report, passed } = await trial((line) => say(terminal, line));
          if (report !== undefined) await writeAll(terminal.out, `${JSON.stringify(report, null, 2)}\n`);
          return passed ? exitCode.done : exitCode.input;
        }),
      ),
    )
    .addCommand(
      evaluateCommand((options) =>
        act(async (context) => (await import('./evaluate/run-evaluate.ts')).runEvaluate(options, context)),
      ),
    )
    .addCommand(
      calibrateCommand((options) =>
        act(async (context) => (await import('./calibrate/run-calibrate.ts')).runCalibrate(options, context)),
      ),
    )
    .addCommand(
      tool('screenshots', 'Captures every screen and state in four looks in .cache/screens.', async () =>
        (await import('./page/take-screenshots.ts')).takeScreenshots(),
      ),
    )
    .addCommand(
      createCommand('example')
        .description('Writes the result and the spectrogram shown as the example on the first page.')
        .action(() =>
          act(async ({ config, signal, terminal }) => {
            const { writeExample } = await import('./example/example.ts');
            await writeAll(terminal.out, `${await writeExample(config, signal)}\n`);
            return exitCode.done;
          }),
        ),
    );
};
