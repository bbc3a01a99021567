import { type RecordingTime, timeWithin } from '../when/recording-time.ts';

/** A part of a recording that lies in one hour of one day, by the clocks of its place. */
export interface HourListened {
  /** ISO date */
  readonly date: string;
  /** 0–23; null where only the day is known */
  readonly hour: number | null;
  readonly seconds: number;
}

/** A second is the least that clocks here tell. */
const SHORTEST_STEP_SECONDS = 1;

/**
 * Cuts a recording at full hours, over midnight and changes of the clocks: in the night when they go back, an hour that comes twice is
 * listened to for two.
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
