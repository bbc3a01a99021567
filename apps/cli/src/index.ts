export { type CommandContext, type Program, runCli, runCommand } from './cli.ts';
export { type ExitCode, exitCode, InputError, SetUpError, UsageError } from './command-error.ts';
export { createCommand, numberWithin, oneOf, someText } from './command-line.ts';
export { helpPages } from './command-page.ts';
export { type Config, readConfig } from './config.ts';
export { type AnalysedRow, analyseRows } from './evaluate/evaluate.ts';
export { calibrationError, coverageAt } from './evaluate/metrics.ts';
export { type Analyst, openAnalyst } from './evaluate/open-analyst.ts';
export {
  isBirdFree,
  openRecordingsTable,
  shownSplit,
  splitsIn,
  type TableRow,
} from './evaluate/recordings-table.ts';
export { requireWritable, requireWritableFolder, writeOut } from './files.ts';
export { findFfmpeg, openAnalyzer, whenInstalled } from './open-recogniser.ts';
export { createProgress } from './terminal/progress.ts';
export { say, writeAll } from './terminal/terminal.ts';
