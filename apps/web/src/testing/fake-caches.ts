/** In-memory Cache Storage with the parts that the page uses; keys are absolute addresses. */
export function fakeCaches() {
  const stores = new Map<string, Map<string, Response>>();
  let failure: Error | null = null;
  const urlOf = (key: RequestInfo | URL): string => new URL(key instanceof Request ? key.url : key, 'https://page.example').href;

  function open(name: string): Promise<Cache> {
    const entries = stores.get(name) ?? new Map<string, Response>();
    stores.set(name, entries);
    const cache: Pick<Cache, 'match' | 'put' | 'delete' | 'keys'> = {
      match: async (key) => entries.get(urlOf(key))?.clone(),
      async put(key, response) {
        if (failure) throw failure;
        entries.set(urlOf(key), response);
      },
      delete: async (key) => entries.delete(urlOf(key)),
      keys: async () => [...entries.keys()].map((url) => new Request(url)),
    };
    return Promise.resolve(cache as Cache);
  }
  return {
    caches: { open, has: async (name: string) => stores.has(name), delete: async (name: string) => stores.delete(name) },
    /** Paths of all entries. */
    left: () => [...stores.values()].flatMap((entries) => [...entries.keys()].map((url) => new URL(url).pathname)),
    names: () => [...stores.keys()],
    /** Makes every later `put` fail. */
    refuse(error: Error) {
      failure = error;
    },
  };
}
