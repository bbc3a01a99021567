import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { be32, concat, le32 } from '../testing/bytes.ts';
import { encode } from '../testing/encode.ts';
import { makeWav } from '../testing/make-wav.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const TAGS = Array.from({ length: 40_000 }, (_, index) => `NAME${index}`);
const STREAM_INFO_END = 42;

function withComments(flac: Uint8Array): Uint8Array {
  const comments = TAGS.map((name) => concat(le32(name.length + 2), `${name}=v`));
  const block = concat(le32(0), le32(TAGS.length), ...comments);
  const [head, rest] = [flac.slice(0, STREAM_INFO_END), flac.subarray(STREAM_INFO_END)];
  head[4] = 0; // not the last block
  return concat(head, [4], be32(block.length).slice(1), block, rest);
}

function withFrames(mp3: Uint8Array): Uint8Array {
  const frames = concat(...TAGS.map((name) => concat('TXXX', be32(name.length + 3), [0, 0, 0], `${name}\0v`)));
  const size = [21, 14, 7, 0].map((bits) => (frames.length >> bits) & 127);
  return concat('ID3', [3, 0, 0, ...size], frames, mp3);
}

describe('Metadata tags by the ten thousand', () => {
  const folder = temporaryFolder();

  it.each([
    ['a.flac', withComments],
    ['a.mp3', withFrames],
  ])('do not keep ffmpeg from reading %s, of which it reads the same sound as without them', async (name, tagged) => {
    const plain = await encode(folder.write('s.wav', makeWav({ seconds: 3 })), folder.path, name, '-id3v2_version', '0');
    const { all, end } = await readAll(folder.write(`tagged-${name}`, tagged(readFileSync(plain))));
    const { all: expected } = await readAll(plain);
    // In a pipe, ffmpeg does not remove the silence that fills up the last frame of an MP3.
    expect(all.subarray(0, expected.length)).toEqual(expected);
    expect(end).toMatchObject({ truncated: false, durationSeconds: expect.closeTo(3, 1) });
  });
});
