import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCli } from './testing/start-cli.ts';

describe('With the installed model,', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-commands-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('`chiffchaff model inspect` checks every file and says who made the model', async () => {
    const { code, out, err } = await startCli(['model', 'inspect']).ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/every file checked[\s\S]*Cornell Lab of Ornithology[\s\S]*sha256 [0-9a-f]{64}/);
  });

  it('`chiffchaff model parity` compares with the reference outputs, or says where it looked for them', async (context) => {
    const { code, err } = await startCli(['model', 'parity', '--fixtures', 'nowhere'], { cwd: folder }).ended;
    expect(code).toBe(1);
    expect(err).toContain('There are no reference outputs in');
    needsSharedFolder(context);
    const { code: found, out } = await startCli(['model', 'parity', '--fixtures', sharedPath('fixtures/parity'), '--json']).ended;
    expect(found).toBe(0);
    const full = Array.from({ length: 5 }, () => ({ build: 'full', passed: true }));
    const web = Array.from({ length: 4 }, () => ({ build: 'web', passed: true }));
    expect(JSON.parse(out)).toMatchObject([...full, ...web]);
  }, 180_000);
});
