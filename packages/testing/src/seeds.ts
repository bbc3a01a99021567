import * as fc from 'fast-check';

/**
 * Property tests use the same cases on every run, so that they fail only because of a change. `TEST_SEED` sets another seed;
 * `npm run test:long properties` sets a random one and prints it.
 */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 24_11_2026) });
