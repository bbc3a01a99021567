import { describe, expect, it, vi } from 'vitest';
import { type Tile, tileKey } from './tile-grid.ts';
import { createTileLoader } from './tile-loader.ts';

const tile = (index: number, level = 0): Tile => ({ level, index });

function fakeSource() {
  const asked: { readonly key: string; readonly signal: AbortSignal; answer(): Promise<void>; refuse(): Promise<void> }[] = [];
  const load = (wanted: Tile, signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      const key = tileKey(wanted);
      const settle = async (act: () => void) => {
        act();
        for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
      };
      asked.push({
        key,
        signal,
        answer: () => settle(() => resolve(key)),
        refuse: () => settle(() => reject(new Error('no'))),
      });
    });
  return { asked, load, keys: () => asked.map(({ key }) => key) };
}

function fakeLoader({ capacity = 10, parallel = 2 } = {}) {
  const source = fakeSource();
  const onTile = vi.fn();
  const loader = createTileLoader({ load: source.load, capacity, parallel, onTile });
  return { ...source, onTile, loader };
}

describe('The tile loader of the spectrogram', () => {
  it('loads the most urgent tiles first, no more at a time than allowed, each once', async () => {
    const { loader, asked, keys, onTile } = fakeLoader();
    loader.want([tile(5), tile(4), tile(6)]);
    loader.want([tile(5), tile(4), tile(6)]);
    expect(keys()).toEqual(['0/5', '0/4']);
    await asked[0]?.answer();
    expect(keys()).toEqual(['0/5', '0/4', '0/6']);
    expect(loader.get(tile(5))).toBe('0/5');
    expect(loader.get(tile(4))).toBeUndefined();
    expect(onTile).toHaveBeenCalledTimes(1);
  });

  it('cancels tiles that are no longer wanted, and starts others once those have ended', async () => {
    const { loader, asked, keys, onTile } = fakeLoader();
    loader.want([tile(1), tile(2)]);
    loader.want([tile(2), tile(3)]);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(keys()).toEqual(['0/1', '0/2']);
    await asked[0]?.refuse();
    expect(keys()).toEqual(['0/1', '0/2', '0/3']);
    expect(onTile).not.toHaveBeenCalled();
  });

  it('loads a cancelled tile again when it is wanted again, and keeps one that arrives in spite of that', async () => {
    const { loader, asked, keys } = fakeLoader({ parallel: 1 });
    loader.want([tile(1)]);
    loader.want([tile(2)]);
    loader.want([tile(1)]);
    await asked[0]?.refuse();
    expect(keys()).toEqual(['0/1', '0/1']);
    loader.want([tile(2)]);
    await asked[1]?.answer();
    expect(loader.get(tile(1))).toBe('0/1');
  });

  it('keeps a limited number of tiles, and drops the longest unused', async () => {
    const { loader, asked } = fakeLoader({ capacity: 2, parallel: 3 });
    loader.want([tile(1), tile(2), tile(3)]);
    await asked[0]?.answer();
    await asked[1]?.answer();
    expect(loader.get(tile(1))).toBe('0/1');
    await asked[2]?.answer();
    expect([1, 2, 3].map((index) => loader.get(tile(index)))).toEqual(['0/1', undefined, '0/3']);
  });

  it('does not load failed tiles again until the view has left them', async () => {
    const { loader, asked, keys } = fakeLoader({ parallel: 1 });
    loader.want([tile(1), tile(2)]);
    await asked[0]?.refuse();
    expect(keys()).toEqual(['0/1', '0/2']); // the next one starts meanwhile
    await asked[1]?.answer();
    loader.want([tile(1), tile(2)]);
    expect(asked).toHaveLength(2);
    loader.want([tile(2)]);
    loader.want([tile(1)]);
    expect(asked).toHaveLength(3);
  });

  it('loads nothing more once it is closed', async () => {
    const { loader, asked, onTile } = fakeLoader({ parallel: 1 });
    loader.want([tile(1), tile(2), tile(3)]);
    loader.close();
    expect(asked[0]?.signal.aborted).toBe(true);
    await asked[0]?.answer();
    expect(asked).toHaveLength(1);
    expect(onTile).not.toHaveBeenCalled();
  });
});
