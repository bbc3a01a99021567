import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded into a server before it begins (`--import`): tells whoever has started it how much memory it takes, nothing lying about. */
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('message', () => {
  collect();
  collect();
  process.send?.(process.memoryUsage());
});
process.channel?.unref();
