import * as fc from 'fast-check';

/**
 * The same cases on every run, so that a change fails by its own fault only. `TEST_SEED` tries others; `npm run test:long properties`
 * does, and prints it.
 */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 24_11_2026) });
