import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandContext, createProgress, type ExitCode, exitCode, writeAll } from '@chiffchaff/cli';
import { modelFolderOf } from '@chiffchaff/models';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import { describeMachine, rowText } from '../harness/report.ts';
import { createClipMeter, measureClips } from './clips.ts';
import { measureHistory } from './history.ts';
import { measureHttp } from './http.ts';
import type { BenchOptions, Part } from './options.ts';
import { measurePage } from './page.ts';
import type { Bench, Measure } from './part.ts';
import { measureSmallFiles } from './programs.ts';
import { measureRecordings } from './recordings.ts';
import { measureReference } from './reference.ts';

const parts: Readonly<Record<Part, Measure>> = {
  clips: measureClips,
  recordings: measureRecordings,
  'small-files': measureSmallFiles,
  http: measureHttp,
  history: measureHistory,
  page: measurePage,
  reference: measureReference,
};

/** Measures, and prints the rows of each part. A part that cannot be measured says why; the others continue. @throws CommandError */
export async function runBench(options: BenchOptions, { config, terminal, signal }: CommandContext): Promise<ExitCode> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'chiffchaff-bench-'));
  const model = await readModelFolder(modelFolderOf(config.dataDir, config.modelId));
  const { id, audio } = model.manifest;
  const progress = createProgress(terminal);
  const meter = createClipMeter(model, signal);
  try {
    const bench: Bench = {
      config,
      model,
      msPerClip: meter.msPerClip,
      clipSeconds: audio.clipSamples / audio.sampleRate,
      make: { folder: folder.path, signal },
      isQuick: options.quick,
      runs: options.quick ? 2 : 5,
      clips: options.quick ? 20 : 100,
      hourSeconds: options.quick ? 300 : 3600,
      python: options.python,
      signal,
      step: (doing) => progress.note(`· ${doing}`),
    };
    await writeAll(terminal.out, `${describeMachine()}; ${id} (${audio.weights.sha256.slice(0, 12)})\n`);
    for (const part of options.parts) {
      bench.step(part);
      const rows = await parts[part](bench).catch((error: unknown) => {
        signal.throwIfAborted();
        return [{ what: part, figure: `not measured: ${error instanceof Error ? error.message : error}` }];
      });
      await writeAll(terminal.out, rows.map(rowText).join(''));
      // The workers would compete with what is measured next.
      await meter.close();
    }
    return exitCode.done;
  } finally {
    await meter.close();
    progress.stop();
  }
}
