import type { AnalysisService, LoadedModel, MissingPart } from '@chiffchaff/analysis';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createFakeAnalyzer } from '../testing/fake-analyzer.ts';
import { createModelLoader } from './model-loader.ts';

const log = pino({ level: 'silent' });
const { model, fingerprint, languages, words } = createFakeAnalyzer();
const analyzer: LoadedModel = { model, fingerprint, languages, words };

/** A service of which only loading is asked. */
const loads = (load: AnalysisService['load']) => ({ load }) as AnalysisService;
const lacks = (code: MissingPart['code']) => ({ missing: [{ code, advice: `Install what ${code} says.` }] });

describe('The loader of the model (`createModelLoader`)', () => {
  it('loads the model once, however many callers ask for it', async () => {
    const load = vi.fn(async () => analyzer);
    const source = createModelLoader({ service: loads(load), log, recheckMs: 0 });
    const [one, other] = await Promise.all([source.get(), source.get(), source.ready]);
    expect(one).toMatchObject(analyzer);
    expect([other, await source.get(), source.loaded]).toEqual([one, one, one]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('looks again for a missing model after a pause, and logs each different lack once', async () => {
    const findings = [lacks('DECODER_NOT_INSTALLED'), lacks('MODEL_NOT_INSTALLED'), lacks('MODEL_NOT_INSTALLED')];
    const advised: string[] = [];
    const source = createModelLoader({
      service: loads(async () => findings.shift() ?? analyzer),
      log: pino({}, { write: (line: string) => advised.push(JSON.parse(line).code) }),
      recheckMs: 0,
    });
    await expect(source.get()).rejects.toMatchObject({ code: 'DECODER_NOT_INSTALLED' });
    for (const _ of [1, 2]) await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(source.missing).toMatchObject([{ code: 'MODEL_NOT_INSTALLED' }]);
    expect(advised).toEqual(['DECODER_NOT_INSTALLED', 'MODEL_NOT_INSTALLED']);
    expect(await source.get()).toMatchObject(analyzer);
    expect(source.missing).toEqual([]);
  });

  it('does not look again for a missing model until a pause has passed', async () => {
    const load = vi.fn(async () => lacks('MODEL_NOT_INSTALLED'));
    const source = createModelLoader({ service: loads(load), log, recheckMs: 60_000 });
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(load).toHaveBeenCalledOnce();
  });

  it('unloads the model while running machines use another, and asks that from its second look on', async () => {
    let isOther = true;
    const isOtherInUse = vi.fn(async (_loaded: string | undefined) => isOther);
    const source = createModelLoader({ service: loads(async () => analyzer), log, recheckMs: 0, isOtherInUse });
    expect(await source.get()).toMatchObject(analyzer);
    await source.lookNow();
    expect(isOtherInUse).toHaveBeenLastCalledWith(fingerprint);
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(isOtherInUse).toHaveBeenLastCalledWith(undefined);
    expect([source.loaded, source.missing]).toMatchObject([null, [{ code: 'OTHER_MODEL' }]]);
    isOther = false;
    expect(await source.get()).toMatchObject(analyzer);
  });

  it('reports a model that cannot be loaded as not installed, and logs why', async () => {
    const logged: string[] = [];
    const source = createModelLoader({
      service: loads(() => Promise.reject(new Error('the weights are odd'))),
      log: pino({}, { write: (line: string) => logged.push(line) }),
      recheckMs: 0,
    });
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    expect(logged.join()).toContain('the weights are odd');
  });

  it('checks the model once a day, and gives no damaged model until it is repaired', async () => {
    const RECHECK_MS = 10;
    let now = 0;
    const findings = [analyzer, analyzer, new Error('the disk is away'), lacks('MODEL_DAMAGED'), analyzer];
    const load = vi.fn(async () => {
      const finding = findings.shift() ?? analyzer;
      if (finding instanceof Error) throw finding;
      return finding;
    });
    const source = createModelLoader({ service: loads(load), log, recheckMs: RECHECK_MS, now: () => now });
    expect(await source.get()).toMatchObject(analyzer);
    for (const loads of [2, 3, 4]) {
      now += 86_399_999;
      expect(await source.get()).toMatchObject(analyzer);
      expect(load).toHaveBeenCalledTimes(loads - 1);
      now += 1;
      expect(await source.get()).toMatchObject(analyzer);
      expect(load).toHaveBeenCalledTimes(loads);
      await new Promise(setImmediate);
    }
    await expect(source.get()).rejects.toMatchObject({ code: 'MODEL_DAMAGED' });
    expect([source.loaded, source.missing]).toMatchObject([null, [{ code: 'MODEL_DAMAGED' }]]);
    now += RECHECK_MS;
    expect(await source.get()).toMatchObject(analyzer);
  });
});
