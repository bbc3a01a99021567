import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded into a server before it starts (`--import`): on a message, collects garbage and sends the memory usage to the parent process. */
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('message', () => {
  collect();
  collect();
  process.send?.(process.memoryUsage());
});
process.channel?.unref();
