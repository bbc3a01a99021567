import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type CommandContext,
  createProgress,
  type ExitCode,
  exitCode,
  findFfmpeg,
  openInstalledAnalyzer,
  writeAll,
} from '@chiffchaff/cli';
import { modelFolderOf } from '@chiffchaff/models';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import { readMachineFacts } from './machine.ts';
import type { MakeOptions } from './made-recordings.ts';
import { measureCheckUp } from './measure-check-up.ts';
import { measureClips } from './measure-clips.ts';
import { measureHttp } from './measure-http.ts';
import { measureMemory } from './measure-memory.ts';
import { measurePage } from './measure-page.ts';
import { measureRecordings } from './measure-recordings.ts';
import { measureReference } from './measure-reference.ts';
import { measureSmallFiles } from './measure-small-files.ts';
import type { BenchOptions, Part } from './options.ts';
import { obtainReferenceModel } from './reference-model.ts';
import { type BenchResult, reportBench } from './report.ts';
import { createClipMeter } from './run-clips.ts';

/** Measures and prints. @throws CommandError */
export async function runBench(options: BenchOptions, context: CommandContext): Promise<ExitCode> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-bench-'));
  try {
    const result = await bench(options, folder, context);
    await writeAll(context.terminal.out, options.json ? `${JSON.stringify(result, null, 2)}\n` : reportBench(result));
    return exitCode.done;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bench(options: BenchOptions, folder: string, { config, terminal, signal }: CommandContext): Promise<BenchResult> {
  const machine = readMachineFacts();
  const model = await readModelFolder(modelFolderOf(config.dataDir, config.modelId));
  const { id, audio } = model.manifest;
  const source = options.recording === null ? null : resolve(config.startFolder, options.recording);
  const make: MakeOptions = { ffmpegPath: await findFfmpeg(config, signal), folder, source, signal };
  const runs = options.quick ? 2 : 5;
  const hourSeconds = options.quick ? 300 : 3600;
  const clips = options.quick ? 20 : 100;
  const notMeasured: string[] = [];
  const progress = createProgress(terminal);
  const step = (doing: string) => progress.note(`· ${doing}`);

  /** Runs a part if it was requested. A part that cannot be measured is noted with the reason; the others continue. */
  const when = async <Result>(part: Part, measure: () => Promise<Result | string>): Promise<Result | null> => {
    if (!options.parts.includes(part)) return null;
    const measured = await measure().catch((error: unknown) => {
      signal.throwIfAborted();
      return error instanceof Error ? error.message : String(error);
    });
    if (typeof measured !== 'string') return measured;
    notMeasured.push(`${part}: ${measured}`);
    return null;
  };

  const meter = createClipMeter(model, signal);
  const clipSeconds = audio.clipSamples / audio.sampleRate;
  try {
    const common = { cores: config.workers, runs, clips, onProgress: step };
    const clipSpeeds = await when('clips', () => measureClips({ ...common, measure: meter.measure, clipSeconds }));
    const checkUp = await when('check-up', async () => {
      step('check-up');
      return measureCheckUp({ sampleRate: audio.sampleRate, runs });
    });
    const reference = await when('reference', async () => {
      const found = await obtainReferenceModel(config, folder, signal);
      if ('missing' in found) return found.missing;
      return measureReference({ ...common, ...found, measureOurs: meter.measure, signal });
    });
    const recordings = await when('recordings', async () => {
      const analyzer = await openInstalledAnalyzer(config, signal);
      try {
        const inference = { measureClips: meter.measure, workers: config.workers, clipSeconds };
        return await measureRecordings({ analyzer, ...inference, make, seconds: hourSeconds, runs, onProgress: step });
      } finally {
        await analyzer.close();
      }
    });
    await meter.close();
    const smallFiles = await when('small-files', () =>
      measureSmallFiles({
        make,
        runs,
        python: options.python,
        environment: config.environment,
        isQuick: options.quick,
        onProgress: step,
      }),
    );
    const http = await when('http', () => {
      step('server');
      return measureHttp({ config, make, requests: options.quick ? 10 : 100 });
    });
    const memory = await when('memory', async () => {
      const uses = [];
      for (const recordingSeconds of [hourSeconds, 3 * hourSeconds]) {
        step(`memory, ${Math.round(recordingSeconds / 60)} min`);
        const use = await measureMemory({ make, env: config.environment, recordingSeconds });
        if (use === null) return 'this system does not tell how much memory is shared';
        uses.push(use);
      }
      return uses;
    });
    const page = await when('page', () => {
      step('page');
      return measurePage({ clips, runs, clipSamples: audio.clipSamples, clipSeconds });
    });
    return {
      machine,
      model: { id, sha256: audio.sha256 },
      clips: clipSpeeds,
      checkUp,
      recordings,
      smallFiles,
      http,
      memory,
      page,
      reference,
      notMeasured,
    };
  } finally {
    await meter.close();
    progress.stop();
  }
}
