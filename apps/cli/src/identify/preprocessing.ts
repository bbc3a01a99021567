import type { Preprocessing } from '@chiffchaff/analysis';
import { UsageError } from '../command-error.ts';

/** Half the rate that models take their samples at (Hz): no frequency is higher in what they hear. */
const HIGHEST_HZ = 24_000;

interface Given {
  readonly channel?: number | undefined;
  readonly fmin?: number | undefined;
  readonly fmax?: number | undefined;
  readonly speed?: number | undefined;
}

/**
 * What is done to the sound before it is analysed; null: nothing.
 *
 * @throws UsageError when a band of frequencies holds nothing that can be heard at that speed
 */
export function readPreprocessing({ channel, fmin, fmax, speed = 1 }: Given): Preprocessing | null {
  const highest = HIGHEST_HZ / speed;
  for (const [option, hertz] of [['--fmin', fmin] as const, ['--fmax', fmax] as const])
    if (hertz !== undefined && hertz >= highest)
      throw new UsageError(`${option} must be below ${Math.round(highest)} Hz${speed === 1 ? '' : ' at that speed'}.`);
  if (fmin !== undefined && fmax !== undefined && fmin >= fmax) throw new UsageError('--fmin must be below --fmax.');
  const given = {
    ...(channel === undefined ? {} : { channel }),
    ...(fmin === undefined ? {} : { minHz: fmin }),
    ...(fmax === undefined ? {} : { maxHz: fmax }),
    ...(speed === 1 ? {} : { speed }),
  };
  return Object.keys(given).length === 0 ? null : given;
}
