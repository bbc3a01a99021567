export { createCapturedTerminal } from './captured-terminal.ts';
export { makeWave } from './fake-wave.ts';
export { readOptions } from './read-options.ts';
export { startCli } from './start-cli.ts';
