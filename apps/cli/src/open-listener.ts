import type { Listener } from '@chiffchaff/listening';
import { SetUpError } from './command-error.ts';
import type { Config } from './config.ts';

export async function openListener(_config: Config, _signal: AbortSignal): Promise<Listener> {
  throw new SetUpError('not yet');
}
