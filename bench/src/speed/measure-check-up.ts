import { createSoundCheckUp } from '@chiffchaff/recognizer';
import { median } from '../harness/measures.ts';

const SECONDS = 60;
/** The size of the pieces that a decoder delivers. */
const PIECE_SAMPLES = 16_384;

export interface CheckUpCost {
  readonly runs: number;
  /** milliseconds of one core for a minute of mono audio */
  readonly msPerMinute: number;
}

/** Measures the processor time of the check-up, which is added to that of the analysis. */
export function measureCheckUp({ sampleRate, runs }: { readonly sampleRate: number; readonly runs: number }): CheckUpCost {
  const sound = sampleMinute(sampleRate);
  const pieces: Float32Array[] = [];
  for (let from = 0; from < sound.length; from += PIECE_SAMPLES) pieces.push(sound.subarray(from, from + PIECE_SAMPLES));
  const once = (): number => {
    const before = process.cpuUsage();
    const checkUp = createSoundCheckUp({ sampleRate, channels: 1 });
    for (const piece of pieces) {
      checkUp.pushChannels(piece);
      checkUp.pushMono(piece);
    }
    checkUp.end();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  once();
  return { runs, msPerMinute: median(Array.from({ length: runs }, once)) };
}

/** Intermittent whistles over faint noise, the same on every machine. */
function sampleMinute(sampleRate: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: SECONDS * sampleRate }, (_, index) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const at = index / sampleRate;
    const whistle = Math.max(0, Math.sin(5.6 * at)) * Math.sin(2 * Math.PI * 4000 * at);
    return 0.2 * whistle + 0.01 * (state / 2 ** 32 - 0.5);
  });
}
