/** Works again and again until closed, never twice at once. After a failure, the next time tries again. */
export function repeat(work: () => Promise<void>, everyMs: number, onFailure: (error: unknown) => void) {
  let working: Promise<void> | null = null;
  const timer = setInterval(() => {
    working ??= work()
      .catch(onFailure)
      .finally(() => {
        working = null;
      });
  }, everyMs).unref();

  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await working;
    },
  };
}
