/** The rate of repeated events, counted from the first one on, so that neither start-up nor the end affects it. */
export interface SteadyRate {
  count(): void;
  readonly isOver: boolean;
  readonly secondsLeft: number;
  readonly perSecond: number;
}

/** @param seconds duration, after which events do not count */
export function createSteadyRate(seconds: number): SteadyRate {
  const start = performance.now();
  const elapsedSeconds = (): number => (performance.now() - start) / 1000;
  let firstAt = Number.NaN;
  let later = 0;
  return {
    count() {
      const at = elapsedSeconds();
      if (at >= seconds) return;
      if (Number.isNaN(firstAt)) firstAt = at;
      else later += 1;
    },
    get isOver() {
      return elapsedSeconds() >= seconds;
    },
    get secondsLeft() {
      return Math.max(0, seconds - elapsedSeconds());
    },
    get perSecond() {
      return later / (seconds - firstAt);
    },
  };
}
