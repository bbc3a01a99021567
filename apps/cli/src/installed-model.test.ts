import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ffmpegPath } from '@chiffchaff/analysis/testing';
import { modelFolderOf } from '@chiffchaff/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { openInstalledAnalyzer } from './open-recognizer.ts';
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

  it('`chiffchaff identify` refuses to start once a file of the model has changed, and says how to repair that', async () => {
    const installed = readConfig({}, folder);
    const [from, to] = [modelFolderOf(installed.dataDir, installed.modelId), modelFolderOf(folder, installed.modelId)];
    await mkdir(to, { recursive: true });
    for (const name of await readdir(from)) if (name !== 'labels.txt') await symlink(join(from, name), join(to, name));
    const labels = await readFile(join(from, 'labels.txt'), 'utf8');
    await writeFile(join(to, 'labels.txt'), labels.replace('Junco hyemalis', 'Psittacula'));
    const config = { ...installed, dataDir: folder, ffmpegPath };
    const opening = openInstalledAnalyzer(config, new AbortController().signal);
    await expect(opening).rejects.toThrow(/^The model .* can't be opened in .*Run .\/chiffchaff model install to set it up\.$/);
  });
});
