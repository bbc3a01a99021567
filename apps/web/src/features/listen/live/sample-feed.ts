/** Buffer between microphone and recogniser: samples are pushed as they arrive, and read when it has time. */
export function createSampleFeed() {
  const pieces: Float32Array[] = [];
  let waiting = 0;
  /** null until it is read */
  let leastWaiting: number | null = null;
  let hasEnded = false;
  let wake = () => {};
  return {
    push(samples: Float32Array) {
      pieces.push(samples);
      waiting += samples.length;
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    /** Number of samples pushed but not yet read. */
    waiting: () => waiting,
    /** By how many samples the backlog has grown since it was smallest; 0 until it is read. */
    grown: () => (leastWaiting === null ? 0 : waiting - leastWaiting),
    async *[Symbol.asyncIterator](): AsyncGenerator<Float32Array, void> {
      leastWaiting = waiting;
      for (;;) {
        const next = pieces.shift();
        if (next) {
          waiting -= next.length;
          leastWaiting = Math.min(leastWaiting, waiting);
          yield next;
        } else if (hasEnded) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}

export type SampleFeed = ReturnType<typeof createSampleFeed>;
