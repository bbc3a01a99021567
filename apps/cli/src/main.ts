import { product, runCli } from './cli.ts';

await runCli(product, process);
