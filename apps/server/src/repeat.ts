/** Works again and again until closed. After a failure, the next time tries again. */
export function repeat(work: () => Promise<void>, everyMs: number, onFailure: (error: unknown) => void) {
  let working: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    working = work().catch(onFailure);
  }, everyMs).unref();

  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await working;
    },
  };
}
