import type { Command } from '../cli.ts';
import { exitCode } from '../exit-code.ts';
import { openAnalyzer } from '../open-analyzer.ts';
import { writeAll } from '../terminal/terminal.ts';
import { identify } from './identify.ts';
import { identifyHelp, readIdentifyOptions } from './options.ts';

export const identifyCommand: Command = async (args, { config, terminal, signal }) => {
  const options = readIdentifyOptions(args);
  if (options === null) {
    await writeAll(terminal.out, identifyHelp);
    return exitCode.done;
  }
  return identify(options, { config, terminal, signal, openAnalyzer: () => openAnalyzer(config, signal) });
};
