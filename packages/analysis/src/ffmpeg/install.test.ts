import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '@chiffchaff/acquire';
import { afterEach, describe, expect, it } from 'vitest';
import { makeZip } from '../testing/make-zip.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { type InstallFfmpegOptions, installFfmpeg } from './install.ts';
import { DecoderError, fetchedFfmpegPath, locateFfmpeg } from './locate.ts';

const script = (version: string, more = '') => `#!/bin/sh
${more}echo 'ffmpeg version ${version}'; echo 'configuration: --enable-libsoxr'; echo 'libavutil      60. 1.100'
`;

const isPosix = process.platform !== 'win32';

async function codeOf(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof DecoderError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'none', message: '' };
}

describe.runIf(isPosix)('The installation of ffmpeg (`installFfmpeg`)', () => {
  const folder = temporaryFolder();
  let turn = 0;

  const path = process.env.PATH;
  afterEach(() => {
    process.env.PATH = path;
  });

  /** Makes a data folder, and options that install into it a wheel with these files, which a script provides in place of pip. */
  function setUp(
    files: Readonly<Record<string, string>>,
    { pin = {}, ...changes }: Partial<InstallFfmpegOptions> & { pin?: object } = {},
  ) {
    const dataDir = join(folder.path, `data-${turn++}`);
    const bytes = makeZip(files);
    const wheel = folder.write(`wheel-${turn}.whl`, bytes);
    const bin = mkdtempSync(join(folder.path, 'bin-'));
    const pip = `#!/bin/sh\nwhile [ "$1" != --dest ]; do shift; done\n/bin/cp "${wheel}" "$2/imageio_ffmpeg.whl"\n`;
    writeFileSync(join(bin, 'pip'), pip, { mode: 0o755 });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const sources: readonly Source[] = [{ kind: 'wheel', requirement: 'x==1', sha256, ...pin }];
    const install = () => {
      process.env.PATH = `${bin}:${path}`;
      return installFfmpeg({ dataDir, sources, ...changes });
    };
    const left = () => {
      const names = existsSync(join(dataDir, 'ffmpeg')) ? readdirSync(join(dataDir, 'ffmpeg')) : [];
      return names.filter((name) => name !== '.ffmpeg.install-lock');
    };
    return { dataDir, install, left };
  }

  const member = 'imageio_ffmpeg/binaries/ffmpeg-any-v9.0.2';

  it('unpacks the program, tries it, and leaves nothing else in the folder', async () => {
    const steps: string[] = [];
    const { dataDir, install, left } = setUp(
      { 'imageio_ffmpeg/binaries/README.md': 'read me', [member]: script('9.0.2') },
      { onStep: (step) => steps.push(step) },
    );
    expect(await install()).toEqual({ path: fetchedFfmpegPath(dataDir), version: '9.0.2', from: 'fetched' });
    expect(left()).toEqual(['ffmpeg']);
    expect(steps).toEqual([expect.stringMatching(/^Downloading ffmpeg/), 'Unpacking ffmpeg']);
    expect(await locateFfmpeg({ dataDir })).toMatchObject({ from: 'fetched', version: '9.0.2' });
  });

  it('can run twice at the same time', async () => {
    const { install, left } = setUp({ [member]: script('9.0.2') });
    const both = await Promise.all([install(), install()]);
    expect(both[0]).toEqual(both[1]);
    expect(left()).toEqual(['ffmpeg']);
  });

  it.each([
    ['of another size', { bytes: 5 }],
    ['with other bytes', { sha256: '0'.repeat(64) }],
  ])('refuses a downloaded file %s', async (_, expected) => {
    const { install, left } = setUp({ [member]: script('9.0.2') }, { pin: expected });
    const failure = await codeOf(install());
    expect(failure).toMatchObject({
      code: 'CHECKSUM_MISMATCH',
      message: /^Checking the downloaded ffmpeg: .*\. Try again, or install/,
    });
    expect(left()).toEqual([]);
  });

  it.each([
    ['does not run', script('9.0.2', 'exit 3\n'), /^Testing the downloaded ffmpeg: it does not run/],
    ['is too old', script('4').replace('60. 1', '56. 1'), /version 5 or later is needed/],
  ])('refuses a program that %s', async (_, text, message) => {
    const { install, left } = setUp({ [member]: text });
    expect(await codeOf(install())).toMatchObject({ code: 'BINARY_UNUSABLE', message });
    expect(left()).toEqual([]);
  });

  it('reports a package that contains no program', async () => {
    const { install } = setUp({ 'imageio_ffmpeg/__init__.py': '' });
    expect(await codeOf(install())).toMatchObject({ code: 'SOURCE_UNREADABLE', message: /contains no ffmpeg/ });
  });

  it('keeps the installed program when a new one is unusable', async () => {
    const { dataDir, install, left } = setUp({ [member]: 'no program' });
    mkdirSync(join(dataDir, 'ffmpeg'), { recursive: true });
    writeFileSync(fetchedFfmpegPath(dataDir), script('8.1'));
    chmodSync(fetchedFfmpegPath(dataDir), 0o755);
    expect((await codeOf(install())).code).toBe('BINARY_UNUSABLE');
    expect(left()).toEqual(['ffmpeg']);
    expect(await locateFfmpeg({ dataDir })).toMatchObject({ version: '8.1' });
  });

  it('reports a folder that cannot be created', async () => {
    const dataDir = folder.write('not-a-folder', '');
    expect(await codeOf(installFfmpeg({ dataDir }))).toMatchObject({
      code: 'FOLDER_NOT_WRITABLE',
      message: /DATA_DIR/,
    });
  });

  it('leaves nothing behind when it is cancelled', async () => {
    const controller = new AbortController();
    const { install, left } = setUp(
      { [member]: script('9.0.2') },
      {
        signal: controller.signal,
        onStep: (step) => {
          if (step.startsWith('Unpacking')) controller.abort();
        },
      },
    );
    await expect(install()).rejects.toThrow(/abort/i);
    expect(left()).toEqual([]);
  });
});

describe.runIf(isPosix)('The search for ffmpeg (`locateFfmpeg`)', () => {
  const folder = temporaryFolder();
  const program = (name: string, text: string): string => {
    mkdirSync(join(folder.path, name), { recursive: true });
    const path = folder.write(`${name}/ffmpeg`, text);
    chmodSync(path, 0o755);
    return path;
  };
  const dataDir = '/nowhere';

  it('takes the configured program and no other', async () => {
    const good = program('good', script('7.1'));
    const old = program('old', script('4').replace('60. 1', '56. 1'));
    expect(await locateFfmpeg({ ffmpegPath: good, dataDir })).toEqual({ path: good, version: '7.1', from: 'configured' });
    const refused = codeOf(locateFfmpeg({ ffmpegPath: old, searchPath: join(folder.path, 'good'), dataDir }));
    expect(await refused).toMatchObject({ code: 'FFMPEG_UNSUITABLE', message: /version 5 or later is needed\. Set it to/ });
  });

  it('skips unusable programs on the search path', async () => {
    const good = program('good', script('7.1'));
    program('old', script('4').replace('60. 1', '56. 1'));
    const searchPath = ['', 'nothing', 'old', 'good'].map((name) => (name === '' ? '' : join(folder.path, name))).join(':');
    expect(await locateFfmpeg({ searchPath, dataDir })).toEqual({ path: good, version: '7.1', from: 'search path' });
  });

  it('prefers the program that was downloaded', async () => {
    program('good', script('7.1'));
    const path = program('fetched/ffmpeg', script('9.0'));
    const fetched = { dataDir: join(folder.path, 'fetched'), searchPath: join(folder.path, 'good') };
    expect(await locateFfmpeg(fetched)).toEqual({ path, version: '9.0', from: 'fetched' });
    program('fetched/ffmpeg', script('4').replace('60. 1', '56. 1'));
    expect(await locateFfmpeg(fetched)).toMatchObject({ version: '7.1', from: 'search path' });
  });

  it('treats empty environment variables as unset', async () => {
    expect(await locateFfmpeg({ ffmpegPath: '', searchPath: '', dataDir })).toBeNull();
  });
});
