/** Sweeps when started, then periodically until closed. After a failure the next sweep tries again. */
export function createSweeper(sweep: () => Promise<void>, everyMs: number, onFailure: (error: unknown) => void) {
  let sweeping: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  return {
    async start(): Promise<void> {
      await sweep();
      timer = setInterval(() => {
        sweeping = sweep().catch(onFailure);
      }, everyMs).unref();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await sweeping;
    },
  };
}
