import { type Tile, tileKey } from './tile-grid.ts';

interface Options<Value> {
  readonly load: (tile: Tile, signal: AbortSignal) => Promise<Value>;
  /** Most tiles to keep; beyond it, the least recently used is dropped. */
  readonly capacity: number;
  readonly parallel: number;
  readonly onTile: () => void;
  readonly onDrop: (value: Value) => void;
}

/** Loads the wanted tiles of one recording and keeps a bounded number. */
export function createTileLoader<Value>({ load, capacity, parallel, onTile, onDrop }: Options<Value>) {
  const loaded = new Map<string, Value>(); // in the order of use
  const inFlight = new Map<string, AbortController>();
  /** Not retried until the view has moved away and back: a source retries where that may help. */
  const failed = new Set<string>();
  let wanted: readonly Tile[] = [];

  const keep = (key: string, value: Value) => {
    loaded.set(key, value);
    for (const [oldest, unused] of loaded) {
      if (loaded.size <= capacity) break;
      loaded.delete(oldest);
      onDrop(unused);
    }
  };

  const start = async (tile: Tile, key: string) => {
    const controller = new AbortController();
    inFlight.set(key, controller);
    const loaded = await load(tile, controller.signal).then(
      (value) => ({ value }),
      () => null,
    );
    if (controller.signal.aborted) {
      if (loaded) onDrop(loaded.value);
      return;
    }
    inFlight.delete(key);
    if (loaded) keep(key, loaded.value);
    else failed.add(key);
    startNext();
    if (loaded) onTile();
  };

  const startNext = () => {
    for (const tile of wanted) {
      if (inFlight.size >= parallel) return;
      const key = tileKey(tile);
      if (!loaded.has(key) && !inFlight.has(key) && !failed.has(key)) void start(tile, key);
    }
  };

  /** Gets a loaded tile and marks it as just used. */
  const get = (tile: Tile): Value | undefined => {
    const key = tileKey(tile);
    const value = loaded.get(key);
    if (value === undefined) return undefined;
    loaded.delete(key);
    loaded.set(key, value);
    return value;
  };

  return {
    /** Sets the wanted tiles, most urgent first. Cancels loads that are no longer wanted. */
    want(tiles: readonly Tile[]) {
      wanted = tiles;
      const keys = new Set(tiles.map(tileKey));
      for (const [key, controller] of inFlight) {
        if (keys.has(key)) continue;
        inFlight.delete(key);
        controller.abort();
      }
      for (const key of failed) if (!keys.has(key)) failed.delete(key);
      // From the last to the first, so that the most urgent is the most recently used.
      for (const tile of tiles.toReversed()) get(tile);
      startNext();
    },
    get,
    /** All loaded tiles, the least recently used first. */
    values: () => loaded.values(),
    close() {
      wanted = [];
      for (const controller of inFlight.values()) controller.abort();
      for (const value of loaded.values()) onDrop(value);
      loaded.clear();
    },
  };
}
