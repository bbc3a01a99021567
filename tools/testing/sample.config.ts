import { defineConfig } from 'vitest/config';

/** Tests that fail on purpose, to test what the reporter records. */
export default defineConfig({ test: { include: ['tools/testing/sample-*.ts'], retry: 1, fileParallelism: false } });
