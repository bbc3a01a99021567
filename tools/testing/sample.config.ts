import { defineConfig } from 'vitest/config';

/** Tests that fail on purpose, for the test of what is recorded of them. */
export default defineConfig({ test: { include: ['tools/testing/sample-*.ts'], retry: 1, fileParallelism: false } });
