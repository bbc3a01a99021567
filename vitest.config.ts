import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests that load ONNX Runtime by themselves: it tells its maker otherwise (see recognizer/src/node/worker-thread.ts).
process.env.ORT_DISABLE_TELEMETRY = '1';

/**
 * The same seeds on every run. And how long a test waits before it says that something did not happen: long enough for a busy
 * machine, and no claim about speed. What comes at once is seen at once.
 */
const common = {
  expect: { poll: { timeout: 20_000, interval: 50 } },
  testTimeout: 60_000,
  hookTimeout: 120_000,
  setupFiles: ['packages/testing/src/seeds.ts'],
};

/**
 * What starts browsers, servers or other programs shares two cores with them, and gets a second and a third try. What passes only then
 * is listed, and counted (`tools/summary.ts`).
 */
const triedAgain = { ...common, retry: 2 };
const story = { ...triedAgain, expect: { poll: { ...common.expect.poll, timeout: 60_000 } }, testTimeout: 240_000 };

/** Tests that start programs, or look at what a whole process holds: each file has a process of its own. */
const processTests = [
  'apps/cli/src/{installed-model,program,identify/identify-command,review/label-file}.test.ts',
  'apps/server/src/{bad-input,examples,main,admin/disable,identity/routes/restart}.test.ts',
  'apps/server/src/database/sqlite/{back-up,lock-data-folder,check/check-files}.test.ts',
  'apps/server/src/prediction/{live-prediction,stored/export-archive,queue/analysis-deaths,queue/killed-process}.test.ts',
  'bench/src/{installed-model,program,harness/tree-memory}.test.ts',
  'packages/acquire/src/lock.test.ts',
  'packages/analysis/src/{decode/decode-recording,decode/interrupted-decoder,process/analysis-process}.test.ts',
  'packages/models/src/install/install-model.test.ts',
  'packages/recognizer/src/node/{recordings,without-telemetry}.test.ts',
  'tools/{bootstrap,ci-parts,run}.test.ts',
];

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
    tags: [{ name: 'core', description: 'Stories that every change runs: each path that people take, once.' }],
    projects: [
      {
        test: {
          ...common,
          name: 'node',
          environment: 'node',
          isolate: false,
          include: ['{packages,apps,bench,tools}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'apps/web/**', ...processTests, ...engineTests, ...diskTests],
        },
      },
      { test: { ...triedAgain, name: 'processes', environment: 'node', include: processTests } },
      {
        test: {
          ...common,
          name: 'web',
          environment: 'happy-dom',
          isolate: false,
          include: ['apps/web/src/**/*.test.{ts,tsx}'],
          setupFiles: [...common.setupFiles, 'apps/web/src/testing/set-up.ts'],
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
          ...triedAgain,
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
