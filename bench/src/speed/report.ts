import type { MachineFacts } from './machine.ts';
import type { CheckUpCost } from './measure-check-up.ts';
import type { ClipSpeed } from './measure-clips.ts';
import type { HttpSpeed } from './measure-http.ts';
import type { MemoryUse } from './measure-memory.ts';
import type { PageSpeed } from './measure-page.ts';
import type { RecordingSpeed } from './measure-recordings.ts';
import type { ReferenceComparison } from './measure-reference.ts';
import type { FolderCost, ProgramCost } from './measure-small-files.ts';

/** The measurements. A part is `null` if it was not requested or could not be measured; `notMeasured` has the reasons. */
export interface BenchResult {
  readonly machine: MachineFacts;
  readonly model: { readonly id: string; readonly sha256: string };
  readonly clips: readonly ClipSpeed[] | null;
  readonly checkUp: CheckUpCost | null;
  readonly recordings: readonly RecordingSpeed[] | null;
  readonly smallFiles: readonly FolderCost[] | null;
  readonly http: HttpSpeed | null;
  readonly memory: readonly MemoryUse[] | null;
  readonly page: PageSpeed | null;
  readonly reference: ReferenceComparison | null;
  readonly notMeasured: readonly string[];
}

/** The figures as readable text. */
export function reportBench({
  machine,
  model,
  clips,
  checkUp,
  recordings,
  smallFiles,
  http,
  memory,
  page,
  reference,
  notMeasured,
}: BenchResult): string {
  const lines = [
    `${machine.processor}, ${machine.cores} cores, ${gigabytes(machine.memoryBytes)}; ${machine.system}`,
    `Node ${machine.node}, ONNX Runtime ${machine.onnxRuntime}, ${model.id} (${model.sha256.slice(0, 12)}); load before: ${machine.loadBefore.toFixed(2)}`,
  ];
  if (clips) {
    lines.push('', 'One clip');
    for (const { workers, msPerClip, timesRealTime, runs } of clips)
      lines.push(
        `  ${workers} ${workers === 1 ? 'worker ' : 'workers'}  ${msPerClip.toFixed(2)} ms, ${timesRealTime.toFixed(0)} × real time (median of ${runs})`,
      );
  }
  if (checkUp) {
    const oneWorker = clips?.find(({ workers }) => workers === 1);
    const beside = oneWorker
      ? `, ${((checkUp.msPerMinute * oneWorker.timesRealTime) / 600).toFixed(1)} % of listening without overlap`
      : '';
    lines.push(
      '',
      'Check-up of the sound',
      `  ${checkUp.msPerMinute.toFixed(1)} ms a minute of mono${beside} (median of ${checkUp.runs})`,
    );
  }
  if (recordings) {
    lines.push('', 'From file to answer, no overlap');
    for (const { recording, seconds, medianSeconds, timesRealTime, inferenceShare, runs } of recordings)
      lines.push(
        `  ${(seconds / 60).toFixed(0)} min ${recording.padEnd(12)} ${medianSeconds.toFixed(1)} s, ${timesRealTime.toFixed(0)} × real time, ${(100 * inferenceShare).toFixed(0)} % of it inference (median of ${runs})`,
      );
  }
  if (smallFiles) {
    lines.push('', 'Folders of recordings, from the start of the program to its end');
    for (const { folder, ours, birdnetlib, runs } of smallFiles)
      lines.push(
        `  ${folder.padEnd(23)} ${costText(ours)}${birdnetlib ? ` against ${costText(birdnetlib)} of birdnetlib: ${(birdnetlib.wallSeconds / ours.wallSeconds).toFixed(2)} × as fast, ${(birdnetlib.cpuSeconds / ours.cpuSeconds).toFixed(2)} × by processor` : ''} (median of ${runs})`,
      );
    if (smallFiles.some(({ birdnetlib }) => birdnetlib === null)) lines.push('  birdnetlib is not installed in this Python');
  }
  if (http)
    lines.push(
      '',
      `Through HTTP, ${http.recordingSeconds} s of M4A, overlap 1.5 s`,
      `  median ${http.medianMs.toFixed(0)} ms, 95 % within ${http.p95Ms.toFixed(0)} ms (${http.requests} requests)`,
      `  cancelled after ${http.cancelledMs.median.toFixed(0)} ms, at most ${http.cancelledMs.most.toFixed(0)} ms (median of ${http.cancelledMs.times}; limit 500 ms)`,
    );
  if (memory) {
    lines.push('', 'Memory of all processes');
    for (const { recordingSeconds, workers, peakBytes } of memory)
      lines.push(
        `  ${(recordingSeconds / 3600).toFixed(2)} h recording, ${workers} workers: at most ${Math.round(peakBytes / 1e6)} MB`,
      );
  }
  if (page) {
    const { model, runtime, runtimeCompressed } = page.bytes;
    lines.push(
      '',
      `In a page of Chromium ${page.browser}, one thread`,
      `  ${page.msPerClip.toFixed(1)} ms a clip, ${page.timesRealTime.toFixed(0)} × real time (median of ${page.runs})`,
      `  ready ${page.msToReady.toFixed(0)} ms after the model is in the cache, ${page.msToCreate.toFixed(0)} of them for the session`,
      ...(page.memoryMb === null ? [] : [`  ${Math.round(page.memoryMb)} MB of memory for the tab`]),
      `  to fetch: ${megabytes(model)} of the model, ${megabytes(runtime)} of ONNX Runtime (${megabytes(runtimeCompressed)} compressed)`,
    );
  }
  if (reference) {
    lines.push('', `Beside the reference interpreter (${reference.interpreter})`);
    for (const { cores, oursMsPerClip, referenceMsPerClip, timesFaster } of reference.rows)
      lines.push(
        `  ${cores}: ${oursMsPerClip.toFixed(2)} ms against ${referenceMsPerClip.toFixed(2)} ms a clip, ${timesFaster.toFixed(2)} × as fast`,
      );
  }
  if (notMeasured.length > 0) lines.push('', ...notMeasured.map((each) => `Not measured: ${each}`));
  return `${lines.join('\n')}\n`;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const gigabytes = (bytes: number) => `${Math.round(bytes / 1e9)} GB`;
const costText = ({ wallSeconds, cpuSeconds }: ProgramCost) =>
  `${wallSeconds.toFixed(1)} s (processor ${cpuSeconds.toFixed(1)} s)`;
