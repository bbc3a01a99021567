import { type Tile, tileKey } from './tile-grid.ts';

interface Options<Value> {
  readonly load: (tile: Tile, signal: AbortSignal) => Promise<Value>;
  /** Most tiles to keep; beyond it, the least recently used is dropped. */
  readonly capacity: number;
  readonly parallel: number;
  readonly onTile: () => void;
}

/** Loads the wanted tiles of one recording and keeps a bounded number. */
export function createTileLoader<Value>({ load, capacity, parallel, onTile }: Options<Value>) {
  const loaded = new Map<string, Value>(); // in the order of use
  /** A cancelled load counts until it ends, so that a source is never asked for more at once than it can do. */
  const inFlight = new Map<string, AbortController>();
  /** Not retried until the view has moved away and back: a source retries where that may help. */
  const failed = new Set<string>();
  let wanted: readonly Tile[] = [];
  let isClosed = false;

  const keep = (key: string, value: Value) => {
    loaded.set(key, value);
    const [oldest] = loaded.keys();
    if (loaded.size > capacity && oldest !== undefined) loaded.delete(oldest);
  };

  const start = async (tile: Tile, key: string) => {
    const controller = new AbortController();
    inFlight.set(key, controller);
    try {
      keep(key, await load(tile, controller.signal));
    } catch {
      if (!controller.signal.aborted) failed.add(key);
    }
    inFlight.delete(key);
    if (isClosed) return;
    startNext();
    if (loaded.has(key)) onTile();
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
      for (const [key, controller] of inFlight) if (!keys.has(key)) controller.abort();
      for (const key of failed) if (!keys.has(key)) failed.delete(key);
      // From the last to the first, so that the most urgent is the most recently used.
      for (const tile of tiles.toReversed()) get(tile);
      startNext();
    },
    get,
    close() {
      isClosed = true;
      for (const controller of inFlight.values()) controller.abort();
    },
  };
}
