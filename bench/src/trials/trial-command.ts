/**
 * `npm run trial -- NAME`: what a server goes through, tried on a real one with the real model. Prints what it measured; ends with a
 * status other than 0 when something was not as promised.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { attacks } from './attacks/attacks.ts';
import { runCrashes } from './crash/run-crashes.ts';
import { runHours } from './hours/run-hours.ts';
import { runLoad } from './load/run-load.ts';
import { runRestore } from './restore/run-restore.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '1' },
    kept: { type: 'string', default: 'nothing' },
    hours: { type: 'string', default: '10' },
    'kill-at': { type: 'string' },
    beside: { type: 'string', default: '0' },
    checkout: { type: 'string' },
  },
});

const trials: Readonly<Record<string, () => Promise<boolean>>> = {
  async crash() {
    const report = await runCrashes({ kills: Number(values.kills), seed: Number(values.seed), say });
    print(report);
    return report.faults.length === 0 && report.untried.length === 0;
  },
  async load() {
    const kept = values.kept === 'default' ? values.kept : 'nothing';
    const report = await runLoad({
      clients: Number(values.clients),
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
      kept,
      say,
    });
    print(report);
    return report.wrong === 0 && report.errors.length === 0;
  },
  async restore() {
    const report = await runRestore({ seconds: Math.min(10, Number(values.seconds)), seed: Number(values.seed), say });
    print(report);
    return report.faults.length === 0;
  },
  async hours() {
    const killAt = values['kill-at'];
    const report = await runHours({
      hours: Number(values.hours),
      killAt: killAt === undefined ? null : Number(killAt),
      beside: Number(values.beside),
      say,
    });
    print(report);
    return report.faults.length === 0;
  },
  async attack() {
    const attack = attacks[positionals[1] ?? ''];
    if (attack === undefined) {
      say(`These attacks exist: ${Object.keys(attacks).join(', ')}.`);
      return false;
    }
    const report = await attack({ checkout: values.checkout === undefined ? undefined : resolve(values.checkout), say });
    print(report);
    return report.faults.length === 0;
  },
};

// So that servers end with the trial.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const trial = trials[positionals[0] ?? ''];
if (!trial) {
  say(
    `Usage: npm run trial -- ${Object.keys(trials).join('|')} \n  crash [--kills N] [--seed N]   kill -9 at random moments under mixed load\n  load [--clients N] [--seconds N] [--rounds N] [--kept nothing|default]   many clients at once, against the bare recogniser\n  restore [--seed N]   a backup under load, restored elsewhere\n  hours [--hours N] [--kill-at PART] [--beside N]   a recording of hours, interrupted on request, with N short ones beside it\n  attack NAME [--checkout DIR]   one client against the others, on this version's server or on that of another checkout`,
  );
  process.exitCode = 2;
} else if (!(await trial())) {
  process.exitCode = 1;
}
