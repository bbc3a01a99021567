import { type Tile, tileKey } from './tile-grid.ts';

/** Tiles of one recording: those wanted are loaded, a bounded number is kept. */
export interface TileLoader<Value> {
  /** What should be here, the most urgent first. What is under way and no longer wanted is cancelled. */
  want(tiles: readonly Tile[]): void;
  /** A tile that is here; it then counts as just used. */
  get(tile: Tile): Value | undefined;
  /** All that are here, the longest unused first. */
  values(): Iterable<Value>;
  close(): void;
}

interface Options<Value> {
  readonly load: (tile: Tile, signal: AbortSignal) => Promise<Value>;
  /** Tiles kept; when one more comes, the longest unused goes. */
  readonly capacity: number;
  /** Tiles loaded at the same time. */
  readonly parallel: number;
  readonly onTile: () => void;
  /** Called with every tile that is let go. */
  readonly onDrop: (value: Value) => void;
}

/** Waits after a failure, one more for each in a row; then the tile is left alone until the view has moved away and back. */
const retryMs = [500, 2000, 8000];

export function createTileLoader<Value>({ load, capacity, parallel, onTile, onDrop }: Options<Value>): TileLoader<Value> {
  const here = new Map<string, Value>(); // in the order of use
  const underWay = new Map<string, AbortController>();
  const failures = new Map<string, number>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  /** Tiles between two tries. */
  const waiting = new Set<string>();
  let wanted: readonly Tile[] = [];
  let closed = false;

  const keep = (key: string, value: Value) => {
    here.set(key, value);
    for (const [oldest, unused] of here) {
      if (here.size <= capacity) break;
      here.delete(oldest);
      onDrop(unused);
    }
  };

  const fail = (key: string) => {
    const before = failures.get(key) ?? 0;
    failures.set(key, before + 1);
    const ms = retryMs[before];
    if (ms === undefined) return;
    waiting.add(key);
    const timer = setTimeout(() => {
      timers.delete(timer);
      waiting.delete(key);
      startNext();
    }, ms);
    timers.add(timer);
  };
  const isGivenUp = (key: string) => waiting.has(key) || (failures.get(key) ?? 0) > retryMs.length;

  const start = (tile: Tile, key: string) => {
    const controller = new AbortController();
    underWay.set(key, controller);
    load(tile, controller.signal).then(
      (value) => {
        if (controller.signal.aborted) {
          onDrop(value);
          return;
        }
        underWay.delete(key);
        failures.delete(key);
        keep(key, value);
        startNext();
        onTile();
      },
      () => {
        if (controller.signal.aborted) return;
        underWay.delete(key);
        fail(key);
        startNext();
      },
    );
  };

  const startNext = () => {
    for (const tile of wanted) {
      if (closed || underWay.size >= parallel) return;
      const key = tileKey(tile);
      if (!here.has(key) && !underWay.has(key) && !isGivenUp(key)) start(tile, key);
    }
  };

  const get = (tile: Tile): Value | undefined => {
    const key = tileKey(tile);
    const value = here.get(key);
    if (value === undefined) return undefined;
    here.delete(key);
    here.set(key, value);
    return value;
  };

  return {
    want(tiles) {
      wanted = tiles;
      const keys = new Set(tiles.map(tileKey));
      for (const [key, controller] of underWay) {
        if (keys.has(key)) continue;
        underWay.delete(key);
        controller.abort();
      }
      for (const key of failures.keys()) if (!keys.has(key) && !waiting.has(key)) failures.delete(key);
      // From the last to the first, so that the most urgent is the most recently used.
      for (const tile of tiles.toReversed()) get(tile);
      startNext();
    },
    get,
    values: () => here.values(),
    close() {
      closed = true;
      for (const controller of underWay.values()) controller.abort();
      for (const timer of timers) clearTimeout(timer);
      for (const value of here.values()) onDrop(value);
      here.clear();
    },
  };
}
