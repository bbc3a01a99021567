/** Counts answers by what was asked and what was said. */
export function createAnswerCounts() {
  const all: Record<string, Record<string, number>> = {};
  return {
    all,
    count(what: string, answer: string): void {
      all[what] ??= {};
      all[what][answer] = (all[what][answer] ?? 0) + 1;
    },
  };
}
