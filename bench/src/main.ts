import { runCli } from '@chiffchaff/cli';
import { laboratory } from './program.ts';

await runCli(laboratory, process);
