import { defineConfig } from 'vitest/config';

/** A test that never ends, in a project that `tools/test.ts` runs. */
export default defineConfig({ test: { name: 'node', include: ['tools/testing/hanging-test.ts'], testTimeout: 0 } });
