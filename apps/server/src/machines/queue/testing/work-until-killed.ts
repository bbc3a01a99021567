/** `node work-until-killed.ts OPTIONS` (JSON): a worker in its own process, which prints `ready` once it works. */
import { openQueueMachine, type QueueMachineOptions } from './queue-machine.ts';

const machine = await openQueueMachine(JSON.parse(process.argv[2] ?? '') as QueueMachineOptions);
process.on('SIGTERM', () => void machine.close());
process.stdout.write('ready\n');
