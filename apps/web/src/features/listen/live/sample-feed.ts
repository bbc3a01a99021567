/** Buffer between microphone and recogniser: samples are pushed as they arrive, and read when it has time. */
export interface SampleFeed extends AsyncIterable<Float32Array> {
  push(samples: Float32Array): void;
  end(): void;
  /** Number of samples pushed but not yet read. */
  waiting(): number;
}

export function createSampleFeed(): SampleFeed {
  const pieces: Float32Array[] = [];
  let waiting = 0;
  let hasEnded = false;
  let wake = () => {};
  return {
    push(samples) {
      pieces.push(samples);
      waiting += samples.length;
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    waiting: () => waiting,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = pieces.shift();
        if (next) {
          waiting -= next.length;
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
