/** A cache of the most recently used values, at most `most`. */
export function createRecentValues<Value>(most: number) {
  const values = new Map<string, Value>();
  return {
    get(key: string): Value | undefined {
      const known = values.get(key);
      if (known === undefined) return undefined;
      values.delete(key);
      values.set(key, known);
      return known;
    },
    set(key: string, value: Value): void {
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > most && oldest !== undefined) values.delete(oldest);
    },
    delete(key: string): void {
      values.delete(key);
    },
  };
}
