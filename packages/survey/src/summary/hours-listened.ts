import { type RecordingTime, timeWithin } from '../recording-time.ts';

/** The part of a recording within one hour of one day, by the clocks of its place. */
export interface HourListened {
  /** ISO date */
  readonly date: string;
  /** 0–23; null when only the day is known */
  readonly hour: number | null;
  readonly seconds: number;
}

/** Clocks here resolve one second. */
const SHORTEST_STEP_SECONDS = 1;

/**
 * Cuts a recording at full hours, across midnight and changes of the clocks. In the night when they go back, the hour that occurs twice can
 * have two hours of effort.
 */
export function* hoursListened(began: RecordingTime, seconds: number): Generator<HourListened, void> {
  if (began.time === null) {
    yield { date: began.date, hour: null, seconds };
    return;
  }
  for (let done = 0; done < seconds; ) {
    const { date, time } = timeWithin(began, done);
    const [hour = 0, minute = 0, second = 0] = (time ?? '').split(':').map(Number);
    const left = Math.max(SHORTEST_STEP_SECONDS, 3600 - minute * 60 - second);
    const part = Math.min(left, seconds - done);
    yield { date, hour, seconds: part };
    done += part;
  }
}
