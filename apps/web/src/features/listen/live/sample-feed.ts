/** Samples on their way to the recogniser: pushed as they come, taken as it has time. */
export interface SampleFeed extends AsyncIterable<Float32Array> {
  push(samples: Float32Array): void;
  end(): void;
  /** How many have been pushed and not taken. */
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
