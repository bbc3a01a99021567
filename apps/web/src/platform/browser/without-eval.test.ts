import './without-eval.ts';
import { describe, expect, it } from 'vitest';
import { globalConfig } from 'zod/v4/core';

describe('checking without code made at run time', () => {
  it('is set where zod looks for it', () => {
    expect(globalConfig.jitless).toBe(true);
  });
});
