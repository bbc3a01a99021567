import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createFakeAnalyzer, loaded } from '../testing/fake-analyzer.ts';
import { createModelLoader, type Missing } from './model-loader.ts';

const log = pino({ level: 'silent' });

describe('The loader of the model (`createModelLoader`)', () => {
  it('loads the model once, however many callers ask for it', async () => {
    const analyzer = loaded(createFakeAnalyzer());
    let loads = 0;
    let told = 0;
    const source = createModelLoader({
      load: async () => {
        loads += 1;
        return analyzer;
      },
      log,
      onLoaded: () => {
        told += 1;
      },
      recheckMs: 0,
    });
    expect(await Promise.all([source.get(), source.get()])).toEqual([analyzer, analyzer]);
    await source.get();
    expect({ loads, told }).toEqual({ loads: 1, told: 1 });
    expect(source.loaded).toBe(analyzer);
  });

  it('looks again after a while for a model that was missing', async () => {
    const analyzer = loaded(createFakeAnalyzer());
    const findings: (readonly Missing[] | typeof analyzer)[] = [['DECODER_NOT_INSTALLED'], ['MODEL_NOT_INSTALLED'], analyzer];
    const source = createModelLoader({ load: async () => findings.shift() ?? [], log, recheckMs: 0 });
    await expect(source.get()).rejects.toMatchObject({ code: 'DECODER_NOT_INSTALLED' });
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(source.missing).toEqual(['MODEL_NOT_INSTALLED']);
    expect(await source.get()).toBe(analyzer);
    expect(source.missing).toEqual([]);
  });

  it('does not look again at once for a model that was missing', async () => {
    let loads = 0;
    const load = async (): Promise<readonly Missing[]> => {
      loads += 1;
      return ['MODEL_NOT_INSTALLED'];
    };
    const source = createModelLoader({ load, log, recheckMs: 60_000 });
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(loads).toBe(1);
  });

  it('reports a model that cannot be loaded as not installed, and logs why', async () => {
    const logged: string[] = [];
    const source = createModelLoader({
      load: () => Promise.reject(new Error('the weights are odd')),
      log: pino({}, { write: (line: string) => logged.push(line) }),
      recheckMs: 0,
    });
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(logged.join()).toContain('the weights are odd');
  });

  it('checks the model once a day, and no longer gives one whose files have been damaged until they are repaired', async () => {
    const RECHECK_MS = 10;
    let now = 0;
    const analyzer = loaded(createFakeAnalyzer());
    const findings = [analyzer, analyzer, new Error('the disk is away'), ['MODEL_DAMAGED'] as const, analyzer];
    const load = vi.fn(async () => {
      const finding = findings.shift() ?? analyzer;
      if (finding instanceof Error) throw finding;
      return finding;
    });
    const onLoaded = vi.fn();
    const source = createModelLoader({ load, log, onLoaded, recheckMs: RECHECK_MS, now: () => now });
    expect(await source.get()).toBe(analyzer);
    for (const loads of [2, 3, 4]) {
      now += 86_399_999;
      expect(await source.get()).toBe(analyzer);
      expect(load).toHaveBeenCalledTimes(loads - 1);
      now += 1;
      expect(await source.get()).toBe(analyzer);
      expect(load).toHaveBeenCalledTimes(loads);
      await new Promise(setImmediate);
    }
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_DAMAGED' });
    expect([source.loaded, source.missing]).toEqual([null, ['MODEL_DAMAGED']]);
    now += RECHECK_MS;
    expect(await source.get()).toBe(analyzer);
    expect(onLoaded).toHaveBeenCalledTimes(1);
  });
});
