/**
 * `npm run trial -- NAME`: what a server goes through, tried on a real one with the real model. Prints what it measured; ends with a
 * status other than 0 when something was not as promised.
 */
import { parseArgs } from 'node:util';
import { runCrashes } from './crash/run-crashes.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});

const trials: Readonly<Record<string, () => Promise<boolean>>> = {
  async crash() {
    const report = await runCrashes({ kills: Number(values.kills), seed: Number(values.seed), say });
    print(report);
    return report.faults.length === 0;
  },
};

const trial = trials[positionals[0] ?? ''];
if (!trial) {
  say(`Usage: npm run trial -- ${Object.keys(trials).join('|')} [--kills N] [--seed N]`);
  process.exitCode = 2;
} else if (!(await trial())) {
  process.exitCode = 1;
}
