import { describe, expect, it } from 'vitest';
import { canBeHeld, hindranceOf } from './hindrance.ts';
import { identifySound } from './identify-sound.ts';

const bytes = (text: string, length = 64): Uint8Array => Uint8Array.from({ length }, (_, index) => text.charCodeAt(index) || 0);

function waveHead(format: number, bytesPerSecond: number): Uint8Array {
  const head = bytes('RIFF....WAVEJUNK\x04\0\0\0....fmt \x10\0\0\0', 80);
  const view = new DataView(head.buffer);
  view.setUint16(32, format, true);
  view.setUint32(40, bytesPerSecond, true);
  return head;
}

function flacHead(sampleRate: number, samples: number): Uint8Array {
  const head = bytes('fLaC');
  const view = new DataView(head.buffer);
  view.setUint32(18, sampleRate * 4096);
  view.setUint8(21, view.getUint8(21) | Math.floor(samples / 2 ** 32));
  view.setUint32(22, samples % 2 ** 32);
  return head;
}

/** A browser like Chromium: no WMA, AMR, CAF, AIFF, AC-3. */
const canPlayType = (mimeType: string) =>
  /^audio\/(wav|flac|mpeg|aac|mp4|webm|ogg; codecs="(opus|vorbis|flac)")$/.test(mimeType) ? 'maybe' : '';
const probe = (head: Uint8Array, sizeBytes = 1_000_000, durationSeconds: number | null = 60) => ({
  head,
  sizeBytes,
  durationSeconds,
  canPlayType,
});

describe('what a browser is asked about', () => {
  it.each([
    ['ID3\x04', 'audio/mpeg'],
    ['\xff\xfb\x90', 'audio/mpeg'],
    ['\xff\xf1\x50', 'audio/aac'],
    ['OggS\0\x02..........................OpusHead', 'audio/ogg; codecs="opus"'],
    ['OggS\0\x02..........................\x01vorbis', 'audio/ogg; codecs="vorbis"'],
    ['\0\0\0\x20ftypM4A ', 'audio/mp4'],
    ['\0\0\0\x20ftyp3gp4', 'audio/3gpp'],
    ['\x1a\x45\xdf\xa3....webm', 'audio/webm'],
    ['FORM....AIFF', 'audio/aiff'],
    ['caff', 'audio/x-caf'],
    ['#!AMR\n', 'audio/amr'],
    ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'audio/x-ms-wma'],
    ['\x0b\x77', 'audio/ac3'],
  ])('%j is %s', (head, mimeType) => {
    expect(identifySound(bytes(head), 1000)?.mimeType).toBe(mimeType);
  });

  it.each(['RIFF....AVI ', 'RF64....WAVE', 'riff\x2e\x91', 'wvpk', 'OggS....Speex   ', 'plain words', ''])(
    '%j is nothing that a browser decodes',
    (head) => expect(identifySound(bytes(head), 1000)).toBeNull(),
  );

  it('reads the length from the headers of WAV and FLAC', () => {
    expect(identifySound(waveHead(1, 96_000), 960_000)?.durationSeconds).toBe(10);
    expect(identifySound(waveHead(0x11, 24_000), 960_000)).toBeNull();
    expect(identifySound(flacHead(48_000, 48_000 * 7200 * 20), 1)?.durationSeconds).toBe(7200 * 20);
    expect(identifySound(flacHead(48_000, 0), 1)?.durationSeconds).toBeNull();
  });
});

describe('what keeps a browser from showing a recording', () => {
  it('is that it has no decoder for it', () => {
    expect(hindranceOf(probe(bytes('#!AMR\n')))).toBe('undecodable');
    expect(hindranceOf(probe(bytes('caff')))).toBe('undecodable');
    expect(hindranceOf(probe(bytes('wvpk')))).toBe('undecodable');
    expect(hindranceOf(probe(bytes('ID3\x04')))).toBeNull();
  });

  it('is that it is too large or too long, and not a second before', () => {
    expect(canBeHeld(100 * 1024 * 1024, 600)).toBe(true);
    expect(canBeHeld(100 * 1024 * 1024 + 1, 10)).toBe(false);
    expect(canBeHeld(1000, 600.1)).toBe(false);
    expect(hindranceOf(probe(bytes('ID3\x04'), 1_000_000, 601))).toBe('tooLong');
  });

  it('is told by the header of a WAV where nothing else knows the length', () => {
    expect(hindranceOf(probe(waveHead(1, 96_000), 96_000 * 599, null))).toBeNull();
    expect(hindranceOf(probe(waveHead(1, 96_000), 96_000 * 601, null))).toBe('tooLong');
  });

  it('is told by many bytes of an unknown length', () => {
    expect(hindranceOf(probe(bytes('ID3\x04'), 9_000_000, null))).toBeNull();
    expect(hindranceOf(probe(bytes('ID3\x04'), 11_000_000, null))).toBe('tooLong');
  });
});
