import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { defineConfig } from 'vitest/config';

// For tests that load ONNX Runtime directly, which otherwise sends telemetry (see recognizer/src/node/worker-thread.ts).
process.env.ORT_DISABLE_TELEMETRY = '1';
// The ffmpeg that set-up downloads, also for the programs that tests start, whatever else the machine has.
process.env.PATH = [join(import.meta.dirname, 'data/ffmpeg'), process.env.PATH].join(delimiter);
delete process.env.FFMPEG_PATH;
// Programs that tests start pass this on: they start with two thirds of the processor time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compile');

/** The same seeds on every run, and timeouts long enough for a busy machine, which are no claim about speed: polling ends early. */
const common = {
  expect: { poll: { timeout: 20_000, interval: 50 } },
  testTimeout: 60_000,
  hookTimeout: 120_000,
  setupFiles: ['packages/testing/src/seeds.ts'],
  // The values in a title of `it.each` stay whole.
  taskTitleValueFormatTruncate: 200,
};

/**
 * Tests that start browsers, servers or other programs share two cores with them, so they get two retries. `tools/test-report.ts` lists and
 * counts those that need one.
 */
const triedAgain = { ...common, retry: 2 };
const story = { ...triedAgain, expect: { poll: { ...common.expect.poll, timeout: 60_000 } }, testTimeout: 240_000 };

/** Tests that start programs or inspect a whole process: each file has its own process. */
const processTests = [
  'apps/cli/src/{installed-model,program,identify/identify-command,review/label-file}.test.ts',
  'apps/server/src/{bad-input,examples,main,run-command,admin/disable,identity/routes/restart}.test.ts',
  'apps/server/src/database/sqlite/{back-up,lock-data-folder,check/check-files}.test.ts',
  'apps/server/src/prediction/{live-prediction,stored/export-archive,queue/analysis-deaths,queue/killed-process}.test.ts',
  'bench/src/{installed-model,program,harness/processes}.test.ts',
  'packages/acquire/src/lock.test.ts',
  'packages/analysis/src/{decode/decode-recording,decode/interrupted-decoder,process/analysis-process}.test.ts',
  'packages/models/src/install/install-model.test.ts',
  'packages/recognizer/src/node/{recordings,without-telemetry}.test.ts',
  'tools/{bootstrap,leftovers,run,test}.test.ts',
];

/** Tests of rows, queue and storage on PostgreSQL and S3-compatible storage, which each of them starts. */
const engineTests = [
  'apps/server/src/database/postgres/*.test.ts',
  'apps/server/src/machines/two-servers.test.ts',
  'apps/server/src/move/*.test.ts',
  'apps/server/src/postgres-away.test.ts',
  'apps/server/src/machines/queue/*.test.ts',
  'apps/server/src/storage/object-storage.test.ts',
  'apps/server/src/storage-away.test.ts',
  'apps/server/src/testing/start-*.test.ts',
];

/** DOM tests have their own project, so that the others neither pay for a document nor come to rely on one. */
export default defineConfig({
  test: {
    // One more than there are cores: many tests only wait for processes and timers. With as many as cores, a third of these stood idle.
    maxWorkers: availableParallelism() + 1,
    tags: [{ name: 'core', description: 'Stories that every change runs: each path that people take, once.' }],
    projects: [
      {
        test: {
          ...common,
          name: 'node',
          environment: 'node',
          isolate: false,
          include: ['{packages,apps,bench,tools}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'apps/web/**', ...processTests, ...engineTests],
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
          // Browsers hardly wait, so the stories come last and leave no core without one.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
          globalSetup: 'e2e/prepare-browser.ts',
          include: ['e2e/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'e2e/emulator/**'],
          // Files that run one after the other in a process share its browser.
          isolate: false,
        },
      },
      {
        // Not part of `npm test`: tools/test.ts installs what these start.
        test: {
          ...triedAgain,
          name: 'engines',
          environment: 'node',
          isolate: false,
          include: engineTests,
        },
      },
      {
        // Not part of `npm test`: tools/test.ts installs the Firebase Auth emulator, which `globalSetup` starts.
        test: {
          ...story,
          name: 'emulator',
          environment: 'node',
          globalSetup: 'e2e/emulator/start-emulator.ts',
          include: ['e2e/emulator/**/*.test.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
});
