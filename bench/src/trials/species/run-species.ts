import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median, percentile, round } from '../../harness/measures.ts';
import { makeDataFolder, startServer } from '../../harness/server.ts';
import { readTreeMemory } from '../../harness/tree-memory.ts';

export interface SpeciesTrialOptions {
  readonly say: (line: string) => void;
}

const MEGABYTE = 1024 * 1024;
const MOST_KEPT_MEGABYTES = 80;
/** Growth from after the first pages to the end. */
const MOST_GROWTH_MEGABYTES = 150;
const PAGES_BETWEEN_LOOKS = 500;
/** The stranger has one network address; the other client has another. */
const STRANGER = { 'x-forwarded-for': '192.0.2.1' };
const OTHER = { 'x-forwarded-for': '198.51.100.1' };

/**
 * Requests the pages of all labels of the model in a row, like an unknown client's program: names, range and season. It obeys the request
 * limit. Meanwhile another client sends a different request five times a second.
 */
export async function runSpecies({ say }: SpeciesTrialOptions) {
  const dataDir = await makeDataFolder();
  const server = await startServer({ TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'error' }, { dataDir });
  const faults: string[] = [];
  const beside: number[] = [];
  const ms = { profile: [] as number[], range: [] as number[], season: [] as number[] };
  const megabytes: number[] = [];
  const ended = new AbortController();
  try {
    const model = join(dataDir, 'models', 'birdnet-v2.4');
    const labels = (await readFile(join(model, 'labels.txt'), 'utf8')).trim().split('\n');
    const names = labels.map((line) => line.split('_', 1)[0] ?? '');
    const watching = (async () => {
      while (!ended.signal.aborted) {
        const startedAt = performance.now();
        const response = await fetch(`${server.origin}/v1/occurrences?latitude=50&longitude=10&week=20`, { headers: OTHER });
        await response.arrayBuffer();
        if (response.status !== 200) faults.push(`another client was answered ${response.status}`);
        beside.push(performance.now() - startedAt);
        await delay(200);
      }
    })();
    let refused = 0;
    const get = async (kind: keyof typeof ms, path: string): Promise<void> => {
      const startedAt = performance.now();
      const response = await fetch(`${server.origin}${path}`, { headers: STRANGER });
      await response.arrayBuffer();
      if (response.status === 429) {
        refused += 1;
        await delay(1000 * Number(response.headers.get('retry-after') ?? 1));
        return get(kind, path);
      }
      // Labels that are not birds have no page.
      if (![200, 404].includes(response.status)) faults.push(`${path} was answered ${response.status}`);
      ms[kind].push(performance.now() - startedAt);
    };
    for (const [index, name] of names.entries()) {
      const path = `/v1/species/${encodeURIComponent(name)}`;
      await get('profile', path);
      await get('range', `${path}/range`);
      await get('season', `${path}/season?timeZone=Europe/London`);
      if (index % PAGES_BETWEEN_LOOKS !== 0) continue;
      megabytes.push(round(readTreeMemory(server.pid) / MEGABYTE));
      say(`${index} of ${names.length} pages · ${megabytes.at(-1)} MB`);
    }
    ended.abort();
    await watching;
    const grownBy = round((megabytes.at(-1) ?? 0) - (megabytes[1] ?? 0));
    if (grownBy > MOST_GROWTH_MEGABYTES) faults.push(`memory grew by ${grownBy} MB`);
    const keptMegabytes = round((await bytesOfRanges(model)) / MEGABYTE);
    if (keptMegabytes > MOST_KEPT_MEGABYTES) faults.push(`${keptMegabytes} MB of ranges are kept`);
    return {
      pages: names.length,
      refused,
      ms: Object.fromEntries(Object.entries(ms).map(([kind, values]) => [kind, inShort(values)])),
      beside: inShort(beside),
      megabytes,
      grownBy,
      keptMegabytes,
      faults,
    };
  } finally {
    ended.abort();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const inShort = (values: readonly number[]) => ({
  first: round(values[0] ?? 0),
  median: round(median(values)),
  p95: round(percentile(values, 0.95)),
  most: round(Math.max(...values)),
});

async function bytesOfRanges(model: string): Promise<number> {
  const files = (await readdir(model)).filter((name) => name.startsWith('ranges-'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(model, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
