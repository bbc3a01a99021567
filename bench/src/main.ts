import { runCli } from '@chiffchaff/cli';
import { benchProgram } from './program.ts';

await runCli(benchProgram, process);
