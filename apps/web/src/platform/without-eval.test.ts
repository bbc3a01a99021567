import { describe, expect, it, vi } from 'vitest';

describe('checking without code made at run time', () => {
  it('is set where zod looks for it', async () => {
    vi.resetModules();
    vi.stubGlobal('__zod_globalConfig', undefined);
    await import('./without-eval.ts');
    const { globalConfig } = await import('zod/v4/core');
    expect(globalConfig.jitless).toBe(true);
  });
});
