/** Buffer between microphone and recogniser: samples are pushed as they arrive, and read when it has time. */
export function createSampleFeed() {
  const pieces: Float32Array[] = [];
  let waiting = 0;
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
    async *[Symbol.asyncIterator](): AsyncGenerator<Float32Array, void> {
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

export type SampleFeed = ReturnType<typeof createSampleFeed>;
