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
  const here = new Map<string, Value>(); // in the order of use
  const underWay = new Map<string, AbortController>();
  /** Not retried until the view has moved away and back: a source retries where that may help. */
  const failed = new Set<string>();
  let wanted: readonly Tile[] = [];

  const keep = (key: string, value: Value) => {
    here.set(key, value);
    for (const [oldest, unused] of here) {
      if (here.size <= capacity) break;
      here.delete(oldest);
      onDrop(unused);
    }
  };

  const start = async (tile: Tile, key: string) => {
    const controller = new AbortController();
    underWay.set(key, controller);
    const loaded = await load(tile, controller.signal).then(
      (value) => ({ value }),
      () => null,
    );
    if (controller.signal.aborted) {
      if (loaded) onDrop(loaded.value);
      return;
    }
    underWay.delete(key);
    if (loaded) keep(key, loaded.value);
    else failed.add(key);
    startNext();
    if (loaded) onTile();
  };

  const startNext = () => {
    for (const tile of wanted) {
      if (underWay.size >= parallel) return;
      const key = tileKey(tile);
      if (!here.has(key) && !underWay.has(key) && !failed.has(key)) void start(tile, key);
    }
  };

  /** Gets a loaded tile and marks it as just used. */
  const get = (tile: Tile): Value | undefined => {
    const key = tileKey(tile);
    const value = here.get(key);
    if (value === undefined) return undefined;
    here.delete(key);
    here.set(key, value);
    return value;
  };

  return {
    /** Sets the wanted tiles, most urgent first. Cancels loads that are no longer wanted. */
    want(tiles: readonly Tile[]) {
      wanted = tiles;
      const keys = new Set(tiles.map(tileKey));
      for (const [key, controller] of underWay) {
        if (keys.has(key)) continue;
        underWay.delete(key);
        controller.abort();
      }
      for (const key of failed) if (!keys.has(key)) failed.delete(key);
      // From the last to the first, so that the most urgent is the most recently used.
      for (const tile of tiles.toReversed()) get(tile);
      startNext();
    },
    get,
    /** All loaded tiles, the least recently used first. */
    values: () => here.values(),
    close() {
      wanted = [];
      for (const controller of underWay.values()) controller.abort();
      for (const value of here.values()) onDrop(value);
      here.clear();
    },
  };
}
