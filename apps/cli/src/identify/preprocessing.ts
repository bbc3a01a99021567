import type { Preprocessing } from '@chiffchaff/analysis';
import { UsageError } from '../command-error.ts';

/** Half the sample rate of the models (Hz): the highest frequency in their input. */
const HIGHEST_HZ = 24_000;

interface PreprocessingOptions {
  readonly channel?: number | undefined;
  readonly fmin?: number | undefined;
  readonly fmax?: number | undefined;
  readonly speed?: number | undefined;
}

/**
 * How audio is changed before it is analysed; null: not at all.
 *
 * @throws UsageError when the frequency band is empty or out of reach at that speed
 */
export function readPreprocessing({ channel, fmin, fmax, speed = 1 }: PreprocessingOptions): Preprocessing | null {
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
