import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openZones } from './open-zones.ts';

const TABLE = 'zones-1-cities500-1.0.1.bin';
const line = (zone: string, latitude: number, country: string): string =>
  ['1', 'Town', 'Town', '', latitude, 0, 'P', 'PPL', country, '', '', '', '', '', 9, '', '', zone, ''].join('\t');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-zones-'));
  await writeFile(join(folder, 'towns.txt'), [line('Europe/Kiev', 50, 'UA'), line('Africa/Lagos', 6, 'NG')].join('\n'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Two labels: one lives in the north, one in the south. */
function modelWith(occurrence: string | null = 'o', assumedPlace: object | null = {}): ModelFolder {
  const manifest = { occurrence: occurrence && { sha256: occurrence }, labels: { sha256: 'l' }, calibration: { assumedPlace } };
  return { path: folder, manifest, species: { labels: [{}, {}] } } as unknown as ModelFolder;
}

function opened(model = modelWith()) {
  const occurrences = vi.fn(async (places: readonly { latitude: number }[]) =>
    Float32Array.from(places.flatMap(({ latitude }) => (latitude > 20 ? [1, 0] : [0, 1]))),
  );
  const startPool = vi.fn(async () => ({ occurrences, close: async () => {} }));
  return { startPool, zones: openZones({ model, townsPath: join(folder, 'towns.txt'), startPool }) };
}

it('A time zone is found by its former name and gives the occurrences in its towns, and each species has regions', async () => {
  const { zones } = opened();
  expect(await zones.find(' europe/kiev ')).toEqual({ timeZone: 'Europe/Kyiv', occurrence: Float32Array.of(1, 0) });
  expect(await zones.find('Africa/Lagos')).toEqual({ timeZone: 'Africa/Lagos', occurrence: Float32Array.of(0, 1) });
  expect(await zones.regions()).toBe('UA\nNG');
});

it.each(['UTC', '', 'Mars/Olympus', 'Europe/Berlin', 'Etc/GMT-3'])(
  'A time zone named %j gives no assumed place',
  async (name) => {
    expect(await opened().zones.find(name)).toBeNull();
  },
);

it('The table of time zones is computed once for simultaneous requests, and stored for the next start', async () => {
  const { zones, startPool } = opened();
  await Promise.all([zones.find('Africa/Lagos'), zones.regions(), zones.find('Europe/Kyiv')]);
  expect(startPool).toHaveBeenCalledTimes(1);
  const next = opened();
  expect(await next.zones.find('Africa/Lagos')).toEqual(await zones.find('Africa/Lagos'));
  expect(next.startPool).not.toHaveBeenCalled();
});

it('The table of time zones is computed again if damaged or of another model; an unfinished file is replaced', async () => {
  await opened().zones.regions();
  const path = join(folder, TABLE);
  const whole = await readFile(path);
  // Of a process that was killed while it wrote the file.
  await writeFile(`${path}.part`, 'half');
  const damages = [
    () => truncate(path, whole.length - 1),
    () => writeFile(path, whole.toString('latin1').replace('UA', 'FR'), 'latin1'),
  ];
  for (const damage of damages) {
    await damage();
    const damaged = opened();
    expect(await damaged.zones.regions()).toBe('UA\nNG');
    expect(damaged.startPool).toHaveBeenCalledTimes(1);
    expect(await readFile(path)).toEqual(whole);
  }
  expect((await readdir(folder)).toSorted()).toEqual(['towns.txt', TABLE]);
  const other = opened(modelWith('another'));
  await other.zones.regions();
  expect(other.startPool).toHaveBeenCalledTimes(1);
});

it('The table of time zones is used even if it cannot be stored', async () => {
  await mkdir(join(folder, TABLE));
  const { zones } = opened();
  expect(await zones.find('Africa/Lagos')).toMatchObject({ timeZone: 'Africa/Lagos' });
  expect((await stat(join(folder, TABLE))).isDirectory()).toBe(true);
  expect((await readdir(folder)).toSorted()).toEqual(['towns.txt', TABLE]);
});

it.each([
  ['has no occurrence model', modelWith.bind(null, null)],
  ['knows nothing of assumed places', () => modelWith('o', null)],
])('Time zones give no assumed place with a model that %s', async (_, model) => {
  const { zones, startPool } = opened(model());
  expect(await zones.find('Africa/Lagos')).toBeNull();
  expect(await zones.regions()).toBeNull();
  expect(startPool).not.toHaveBeenCalled();
});

it('Time zones give no assumed place if their table cannot be computed, and the reason is reported once', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await rm(join(folder, 'towns.txt'));
  const { zones } = opened();
  expect(await zones.find('Africa/Lagos')).toBeNull();
  expect(await zones.regions()).toBeNull();
  expect(warned).toHaveBeenCalledTimes(1);
  expect(await stat(join(folder, TABLE)).catch(() => null)).toBeNull();
  warned.mockRestore();
});

it('Closing the time zones stops the computation of their table', async () => {
  const { zones, startPool } = opened();
  const asked = zones.find('Africa/Lagos');
  await zones.close();
  expect(await asked).toBeNull();
  expect(await startPool.mock.results[0]?.value).toBeDefined();
  expect(await readdir(folder)).toEqual(['towns.txt']);
});
