import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A folder for one `describe`, deleted after its tests. */
export interface TemporaryFolder {
  readonly path: string;
  /** @returns the file's path */
  write(name: string, bytes: Uint8Array | string): string;
}

export function temporaryFolder(): TemporaryFolder {
  let path = '';
  beforeAll(() => {
    path = mkdtempSync(join(tmpdir(), 'chiffchaff-'));
  });
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return {
    get path() {
      return path;
    },
    write(name, bytes) {
      const file = join(path, name);
      writeFileSync(file, bytes);
      return file;
    },
  };
}
