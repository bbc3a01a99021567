import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests that load ONNX Runtime by themselves: it tells its maker otherwise (see recognizer/src/node/worker-thread.ts).
process.env.ORT_DISABLE_TELEMETRY = '1';

/**
 * How long a test waits before it says that something did not happen: long enough for a busy machine, and no claim about speed.
 * What comes at once is seen at once.
 */
const patience = {
  expect: { poll: { timeout: 20_000, interval: 50 } },
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

/** Stories share two cores with browsers and servers. What passes only at a second or third try is listed, and counted. */
const story = { ...patience, retry: 2, testTimeout: 240_000 };

/** Tests of what rows, queue and storage promise on PostgreSQL and S3-compatible storage, which each of them starts. */
const engineTests = [
  'apps/server/src/database/postgres/*.test.ts',
  'apps/server/src/machines/two-servers.test.ts',
  'apps/server/src/move/*.test.ts',
  'apps/server/src/postgres-away.test.ts',
  'apps/server/src/prediction/queue/postgres/*.test.ts',
  'apps/server/src/prediction/resumable/piece-bucket.test.ts',
  'apps/server/src/storage/object-storage.test.ts',
  'apps/server/src/testing/start-*.test.ts',
];

/** These need one that keeps its objects on disk (Swift): `npm run test:long engines-on-disk`. */
const diskTests = ['apps/server/src/storage-away.test.ts'];
const onDisk = process.env.TEST_S3_ON_DISK === 'true';

/** DOM tests have their own project, so that the others neither pay for a document nor come to rely on one. */
export default defineConfig({
  test: {
    // vitest would leave one core free, and run one file at a time on two cores; many tests wait for processes and browsers.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      {
        test: {
          ...patience,
          name: 'node',
          environment: 'node',
          isolate: false,
          include: ['{packages,apps,bench,tools}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'apps/web/**', ...engineTests, ...diskTests],
        },
      },
      {
        test: {
          ...patience,
          name: 'web',
          environment: 'happy-dom',
          isolate: false,
          include: ['apps/web/src/**/*.test.{ts,tsx}'],
          setupFiles: ['apps/web/src/testing/set-up.ts'],
        },
      },
      {
        test: {
          ...story,
          name: 'e2e',
          environment: 'node',
          include: ['e2e/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'e2e/emulator/**'],
          // Stories that run one after the other in a process share its browser.
          isolate: false,
        },
      },
      {
        // Not part of `npm test`: tools/engines-test.ts installs what these start.
        test: {
          ...patience,
          name: 'engines',
          environment: 'node',
          isolate: false,
          include: [...engineTests, ...(onDisk ? diskTests : [])],
        },
      },
      {
        // Not part of `npm test`: tools/emulator-test.ts starts the Firebase Auth emulator around it.
        test: {
          ...story,
          name: 'emulator',
          environment: 'node',
          include: ['e2e/emulator/**/*.test.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
});
