import { printSummary, summarise, summaryOptions } from './summary.ts';
import { readRecords, withRecordFile, writeRecord } from './test-record.ts';

/**
 * Runs a test command: prints the summary of what `work` records, and sets the exit status. An error thrown by `work` counts as a
 * failed test.
 *
 * @param label prefix of the closing line, such as `emulator: `
 */
export async function runSuite(label: string, work: (recordFile: string) => Promise<void>): Promise<void> {
  await withRecordFile(async (recordFile) => {
    await work(recordFile).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      process.stdout.write(`${message}\n`);
      const [reason = ''] = message.split('\n');
      writeRecord(recordFile, { kind: 'result', file: '', test: `${label}set-up`, state: 'failed', reason });
    });
    printSummary(summarise(readRecords(recordFile), summaryOptions()), label);
  });
}
