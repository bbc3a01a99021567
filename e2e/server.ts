import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/** A server as an operator starts it, on a free port, with a data folder of its own. */
export interface StartedServer {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Why stories with a real server cannot be told here, or null. The model and the page are installed by `npm test` beforehand. */
export function whyNoServer(): string | null {
  if (!existsSync(join(project, 'apps/web/dist/index.html'))) return 'the page is not built (npm run build)';
  if (!existsSync(join(project, 'data/models'))) return 'the model is not installed (npm run model -- install)';
  return null;
}

/** @throws Error with what the server wrote, when it ends before it listens */
export async function startServer(environment: Readonly<Record<string, string>> = {}): Promise<StartedServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-e2e-'));
  await symlink(join(project, 'data/models'), join(dataDir, 'models'));
  for (const shared of ['ffmpeg', 'cache']) {
    const installed = join(project, 'data', shared);
    if (existsSync(installed)) await symlink(installed, join(dataDir, shared));
  }
  const child = spawn(process.execPath, [join(project, 'apps/server/src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      FFMPEG_PATH: process.env.FFMPEG_PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      OPEN_PREDICTION: 'true',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const origin = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      written += chunk.toString();
      const found = /Chiffchaff is listening on (\S+)/.exec(written)?.[1];
      if (found !== undefined) resolve(new URL(found).origin);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(() => reject(new Error(`The server ended before it listened:\n${written}`)));
  });
  return {
    origin,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
