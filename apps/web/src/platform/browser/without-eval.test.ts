import './without-eval.ts';
import { describe, expect, it } from 'vitest';
import { globalConfig } from 'zod/v4/core';

describe('Validation with zod in the page', () => {
  it('generates no code, which the security policy of the page forbids', () => {
    expect(globalConfig.jitless).toBe(true);
  });
});
