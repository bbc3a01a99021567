import { openInstalledAnalyzer } from '@chiffchaff/cli';
import { median, timed } from '../harness/measures.ts';
import { type MadeFormat, type Measure, makeRecording, timesRealTime } from './part.ts';

const KINDS: readonly { format: MadeFormat; sampleRate: number }[] = [
  { format: 'wav', sampleRate: 48_000 },
  { format: 'wav', sampleRate: 44_100 },
  { format: 'mp3', sampleRate: 44_100 },
];

/**
 * From file to prediction, without overlap, with all workers. Alternates between the recordings and the model alone, so that a slow minute
 * affects all of them.
 */
export const measureRecordings: Measure = async ({
  config,
  make,
  msPerClip,
  clipSeconds,
  hourSeconds: seconds,
  runs,
  signal,
  step,
}) => {
  const made: { name: string; path: string; taken: number[] }[] = [];
  for (const { format, sampleRate } of KINDS) {
    const name = `${seconds / 60} min ${format.toUpperCase()} ${sampleRate / 1000} kHz`;
    made.push({ name, path: await makeRecording({ seconds, sampleRate, format }, make), taken: [] });
  }
  const clips = Math.round(seconds / clipSeconds);
  const inference: number[] = [];
  const analyzer = await openInstalledAnalyzer(config, signal);
  try {
    for (let run = 1; run <= runs; run++) {
      step(`run ${run} of ${runs}`);
      inference.push(((await msPerClip(config.workers, clips)) * clips) / 1000);
      for (const { path, taken } of made) {
        const { ms } = await timed(() => analyzer.analyze({ path, fileName: null, overlapSeconds: 0 }, { signal }));
        taken.push(ms / 1000);
      }
    }
  } finally {
    await analyzer.close();
  }
  return made.map(({ name, taken }) => {
    const share = ((100 * median(inference)) / median(taken)).toFixed(0);
    const figure = `${median(taken).toFixed(1)} s, ${timesRealTime(seconds, median(taken))}, ${share} % of it inference`;
    return { what: name, figure };
  });
};
