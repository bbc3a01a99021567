import './without-eval.ts';
import { describe, expect, it } from 'vitest';
import { globalConfig } from 'zod/v4/core';

describe('Validation without generated code', () => {
  it('is switched on in zod', () => {
    expect(globalConfig.jitless).toBe(true);
  });
});
