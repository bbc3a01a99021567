import { describe, expect, it } from 'vitest';
import { concat, le32, noise, zeros } from '../testing/bytes.ts';
import { makeSilentFlac } from '../testing/make-flac.ts';
import { box, makeMov } from '../testing/make-mov.ts';
import { makeWav } from '../testing/make-wav.ts';
import { HEAD_BYTES, identifyContainer } from './identify-container.ts';

async function identify(bytes: Uint8Array): Promise<string> {
  const readAt = async (offset: number) => bytes.subarray(offset, offset + HEAD_BYTES);
  const identified = await identifyContainer(await readAt(0), readAt);
  return identified.kind === 'recording' ? identified.recording.container : identified.found;
}

const mp3Frame = concat([0xff, 0xfb, 0x90, 0x64], zeros(413));
const mp3 = concat(mp3Frame, mp3Frame, mp3Frame, mp3Frame);
const adtsFrame = concat([0xff, 0xf1, 0x4c, 0x80, 25, 0x1f, 0xfc], zeros(193));
const ac3Frame = concat([0x0b, 0x77, 0, 0, 0x14, 0x40], zeros(768 - 6));
const id3 = (bytes: number) => concat('ID3\x04\0\0', [0, 0, bytes >> 7, bytes & 127], zeros(bytes));

describe('The recognition of a recording’s container (`identifyContainer`)', () => {
  it.each<[string, Uint8Array]>([
    ['wav', makeWav()],
    ['wav', concat('RIFX', le32(0), 'WAVEfmt ')],
    ['rf64', concat('RF64', le32(2 ** 32 - 1), 'WAVEds64')],
    ['rf64', concat('BW64', le32(2 ** 32 - 1), 'WAVEds64')],
    ['w64', concat('riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0')],
    ['aiff', concat('FORM', zeros(4), 'AIFF')],
    ['aiff', concat('FORM', zeros(4), 'AIFC')],
    ['caf', concat('caff\0\x01')],
    ['flac', makeSilentFlac({ seconds: 1 })],
    ['mp3', mp3],
    ['aac', concat(adtsFrame, adtsFrame, adtsFrame)],
    ['ac3', concat(ac3Frame, ac3Frame, ac3Frame)],
    ['ogg', concat('OggS\0\x02')],
    ['webm', concat('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm')],
    ['matroska', concat('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska')],
    ['mp4', box('ftyp', 'M4A ', zeros(4), 'isom')],
    ['mov', makeMov()],
    ['mov', concat(box('wide'), box('mdat', noise(100)))],
    ['3gp', box('ftyp', '3gp4', zeros(4))],
    ['asf', concat('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c')],
    ['amr', concat('#!AMR\n\x04')],
    ['amr', concat('#!AMR-WB\n\x04')],
    ['wavpack', concat('wvpk', zeros(28))],
  ])('recognises %s by its bytes (case %#)', async (container, bytes) => {
    expect(await identify(bytes)).toBe(container);
  });

  it('finds the signature behind an ID3 tag, however long the picture in that is', async () => {
    expect(await identify(concat(id3(10_000), mp3))).toBe('mp3');
    expect(await identify(concat(id3(16_000), id3(200), makeSilentFlac({ seconds: 1 })))).toBe('flac');
    expect(await identify(concat(id3(100), adtsFrame, adtsFrame, adtsFrame))).toBe('aac');
  });

  it('finds MP3 frames behind the rest of a frame that was cut', async () => {
    expect(await identify(concat(noise(300), mp3, mp3))).toBe('mp3');
  });

  it('does not take a single MP3 sync word for an MP3', async () => {
    expect(await identify(concat([0xff, 0xfb, 0x90, 0x64], noise(5000)))).toBe('a file of an unknown type');
  });

  it('goes by the first signature when a file contains several', async () => {
    expect(await identify(concat(makeWav(), 'PK\x03\x04'))).toBe('wav');
    expect(await identify(concat('%PDF-1.7\n', mp3, mp3))).toBe('a PDF document');
  });

  it('does not take a text that begins with a short signature for a picture or a program', async () => {
    expect(await identify(concat('BMW drove by, then a wren'))).toBe('a text file');
    expect(await identify(concat('BM', noise(500)))).toBe('a BMP picture');
  });

  it('does not throw for any beginning of any container', async () => {
    for (const whole of [makeWav(), mp3, makeMov({ frames: 10 }), concat(id3(20), mp3), makeSilentFlac({ seconds: 1 })]) {
      for (let length = 1; length < Math.min(200, whole.length); length++) {
        expect(await identify(whole.subarray(0, length))).toBeTypeOf('string');
      }
    }
  });
});
