import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeZip } from '../testing/make-zip.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { DecoderError } from './errors.ts';
import { type InstallFfmpegOptions, installFfmpeg } from './install.ts';
import { fetchedFfmpegPath, locateFfmpeg } from './locate.ts';
import { pipDownload } from './pip-download.ts';

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

describe.runIf(isPosix)('installFfmpeg', () => {
  const folder = temporaryFolder();
  let turn = 0;

  /** A data directory of its own, and what installs from a made-up wheel into it. */
  function setUp(files: Readonly<Record<string, string>>, changes: Partial<InstallFfmpegOptions> = {}) {
    const dataDir = join(folder.path, `data-${turn++}`);
    const bytes = makeZip(files);
    const wheel = {
      platformTag: 'any',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
      ...changes.wheel,
    };
    const source = folder.write(`wheel-${turn}.whl`, bytes);
    const download: InstallFfmpegOptions['download'] = async (options) => {
      const target = join(options.folder, 'imageio_ffmpeg.whl');
      await copyFile(source, target);
      return target;
    };
    const install = () => installFfmpeg({ dataDir, download, ...changes, wheel });
    const left = () => (existsSync(join(dataDir, 'ffmpeg')) ? readdirSync(join(dataDir, 'ffmpeg')) : []);
    return { dataDir, install, left };
  }

  const member = 'imageio_ffmpeg/binaries/ffmpeg-any-v9.0.2';

  it('unpacks the program, tries it, and leaves nothing else', async () => {
    const steps: string[] = [];
    const { dataDir, install, left } = setUp(
      { 'imageio_ffmpeg/binaries/README.md': 'read me', [member]: script('9.0.2') },
      { onStep: (step) => steps.push(step) },
    );
    expect(await install()).toEqual({ path: fetchedFfmpegPath(dataDir), version: '9.0.2', from: 'fetched' });
    expect(left()).toEqual(['ffmpeg']);
    expect(steps).toEqual([expect.stringMatching(/^Fetching ffmpeg/), 'Unpacking ffmpeg']);
    expect(await locateFfmpeg({ dataDir })).toMatchObject({ from: 'fetched', version: '9.0.2' });
  });

  it('may be done twice at once', async () => {
    const { install, left } = setUp({ [member]: script('9.0.2') });
    const both = await Promise.all([install(), install()]);
    expect(both[0]).toEqual(both[1]);
    expect(left()).toEqual(['ffmpeg']);
  });

  it.each([
    ['of another size', { bytes: 5 }],
    ['with other bytes', { sha256: '0'.repeat(64) }],
  ])('never uses a file %s', async (_, expected) => {
    const { install, left } = setUp(
      { [member]: script('9.0.2') },
      { wheel: { platformTag: 'any', sha256: '', bytes: null, ...expected } },
    );
    const failure = await codeOf(install());
    expect(failure).toMatchObject({
      code: 'CHECKSUM_MISMATCH',
      message: /^Checking the fetched ffmpeg: .*\. Try again, or install/,
    });
    expect(left()).toEqual([]);
  });

  it.each([
    ['does not run', script('9.0.2', 'exit 3\n'), /^Trying the fetched ffmpeg: it does not run/],
    ['is too old', script('4').replace('60. 1', '56. 1'), /version 5 or later is needed/],
  ])('never uses a program that %s', async (_, text, message) => {
    const { install, left } = setUp({ [member]: text });
    expect(await codeOf(install())).toMatchObject({ code: 'BINARY_UNUSABLE', message });
    expect(left()).toEqual([]);
  });

  it('says so when the package holds no program', async () => {
    const { install } = setUp({ 'imageio_ffmpeg/__init__.py': '' });
    expect(await codeOf(install())).toMatchObject({ code: 'BINARY_UNUSABLE', message: /holds no ffmpeg/ });
  });

  it('keeps the program that is there when a new one will not do', async () => {
    const { dataDir, install, left } = setUp({ [member]: 'no program' });
    mkdirSync(join(dataDir, 'ffmpeg'), { recursive: true });
    writeFileSync(fetchedFfmpegPath(dataDir), script('8.1'));
    chmodSync(fetchedFfmpegPath(dataDir), 0o755);
    expect((await codeOf(install())).code).toBe('BINARY_UNUSABLE');
    expect(left()).toEqual(['ffmpeg']);
    expect(await locateFfmpeg({ dataDir })).toMatchObject({ version: '8.1' });
  });

  it('says so when the folder cannot be made', async () => {
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

describe.runIf(isPosix)('locateFfmpeg', () => {
  const folder = temporaryFolder();
  const program = (name: string, text: string): string => {
    mkdirSync(join(folder.path, name), { recursive: true });
    const path = folder.write(`${name}/ffmpeg`, text);
    chmodSync(path, 0o755);
    return path;
  };
  const dataDir = '/nowhere';

  it('takes the configured one and no other', async () => {
    const good = program('good', script('7.1'));
    const old = program('old', script('4').replace('60. 1', '56. 1'));
    expect(await locateFfmpeg({ ffmpegPath: good, dataDir })).toEqual({ path: good, version: '7.1', from: 'configured' });
    const refused = codeOf(locateFfmpeg({ ffmpegPath: old, searchPath: join(folder.path, 'good'), dataDir }));
    expect(await refused).toMatchObject({ code: 'FFMPEG_UNSUITABLE', message: /version 5 or later is needed\. Point it to/ });
  });

  it('passes over what will not do on the search path', async () => {
    const good = program('good', script('7.1'));
    program('old', script('4').replace('60. 1', '56. 1'));
    const searchPath = ['', 'nothing', 'old', 'good'].map((name) => (name === '' ? '' : join(folder.path, name))).join(':');
    expect(await locateFfmpeg({ searchPath, dataDir })).toEqual({ path: good, version: '7.1', from: 'search path' });
  });

  it('takes empty settings for none', async () => {
    expect(await locateFfmpeg({ ffmpegPath: '', searchPath: '', dataDir })).toBeNull();
  });
});

describe.runIf(isPosix)('pipDownload', () => {
  const folder = temporaryFolder();
  const options = () => ({ requirement: 'x==1', platformTag: 'any', folder: folder.path, retryDelaysMs: [1, 1] });
  /** A search path on which only this pip is found. */
  const withPip = async <T>(name: string, text: string, work: () => Promise<T>): Promise<T> => {
    const bin = mkdtempSync(join(folder.path, 'bin-'));
    writeFileSync(join(bin, name), text, { mode: 0o755 });
    const before = process.env.PATH;
    process.env.PATH = bin;
    try {
      return await work();
    } finally {
      if (before !== undefined) process.env.PATH = before;
    }
  };

  it('asks pip for one wheel and hands over its path', async () => {
    const pip = `#!/bin/sh\nfor last; do :; done\n[ "$1 $last" = "download x==1" ] && : > "${folder.path}/x-1-py3-none-any.whl"\n`;
    expect(await withPip('pip', pip, () => pipDownload(options()))).toBe(join(folder.path, 'x-1-py3-none-any.whl'));
  });

  it('passes pip’s own words on when it fails', async () => {
    const pip = '#!/bin/sh\necho "WARNING: odd"; echo "ERROR: No matching distribution found for x==1" >&2; exit 1\n';
    const failure = await withPip('pip', pip, () =>
      codeOf(pipDownload({ ...options(), folder: mkdtempSync(join(folder.path, 'empty-')) })),
    );
    expect(failure).toMatchObject({
      code: 'DOWNLOAD_FAILED',
      message: /pip did not bring x==1 \(ERROR: No matching distribution found for x==1\)\. Check that/,
    });
  });

  it('asks an index that fails twice a third time', async () => {
    const tries = mkdtempSync(join(folder.path, 'tries-'));
    const target = mkdtempSync(join(folder.path, 'third-'));
    const pip = `#!/bin/sh
PATH=/usr/bin:/bin
n=1; while ! mkdir "${tries}/$n" 2>/dev/null; do n=$((n + 1)); done
[ "$n" = 3 ] || { echo "ERROR: Read timed out." >&2; exit 1; }
: > "${target}/x-1.whl"
`;
    const wheel = await withPip('pip', pip, () => pipDownload({ ...options(), folder: target }));
    expect(wheel).toBe(join(target, 'x-1.whl'));
    expect(readdirSync(tries)).toEqual(['1', '2', '3']);
  });

  it('gives up a pip that hangs, without waiting for it again', async () => {
    const started = mkdtempSync(join(folder.path, 'hangs-'));
    const pip = `#!/bin/sh\nPATH=/usr/bin:/bin\nmkdir "${started}/$$"\nexec sleep 60\n`;
    const target = mkdtempSync(join(folder.path, 'empty-'));
    const failure = await withPip('pip', pip, () => codeOf(pipDownload({ ...options(), folder: target, timeoutMs: 500 })));
    expect(failure).toMatchObject({ code: 'DOWNLOAD_FAILED', message: /it had not ended after 0\.5 s/ });
    expect(readdirSync(started)).toHaveLength(1);
  });

  it('says so when there is no pip at all', async () => {
    const failure = await withPip('nothing', '', () => codeOf(pipDownload(options())));
    expect(failure).toMatchObject({ code: 'PIP_NOT_FOUND', message: /Install Python with pip, or install ffmpeg/ });
  });
});
