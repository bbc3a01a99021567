export { createCapturedTerminal } from './captured-terminal.ts';
export { missingHere } from './missing-here.ts';
export { startCli } from './start-cli.ts';
