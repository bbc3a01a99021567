/** Runs the sample tests, some of which fail on purpose, and prints what the report says about them. `tools/test-report.test.ts` starts it. */
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { root } from '../process.ts';
import { TestReport } from '../test-report.ts';

const report = new TestReport();
await startVitest([], { root, run: true, config: join(import.meta.dirname, 'sample.config.ts'), reporters: [report] });
process.stdout.write(report.summary({ nothingSkipped: false }).lines.join('\n'));
process.exit(0);
