import { big, bytesOf, id3, utf8, zeros } from '@chiffchaff/survey/testing';
import { expect, it } from 'vitest';
import { mp3Delay } from './mp3-delay.ts';

/** The first frame as LAME and ffmpeg write it. */
const frame = (name: string, flags: number, coder: string) => {
  const fields = zeros((flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0));
  // Twelve bits of delay (576), twelve of padding (1,000).
  return bytesOf([0xff, 0xfb, 0x90, 0x64], zeros(32), name, big(flags), fields, coder, zeros(12), [0x24, 0x03, 0xe8], zeros(300));
};
const delayOf = (...parts: readonly Uint8Array<ArrayBuffer>[]) => mp3Delay(new Blob([...parts]));

it('The delay at the start of an MP3 is its encoder’s delay plus the decoder’s', async () => {
  expect(await delayOf(frame('Xing', 15, 'LAME3.100'))).toBe(576 + 529);
  expect(await delayOf(frame('Info', 3, 'Lavc60.31'))).toBe(576 + 529);
});

it('The delay at the start of an MP3 is found behind a tag of any length', async () => {
  const tag = id3(4, { TIT2: utf8(`\0${'a'.repeat(5000)}`) });
  expect(await delayOf(tag, frame('Info', 15, 'LAME3.100'))).toBe(1105);
});

it('The delay at the start of an MP3 is 0 if its encoder states none', async () => {
  expect(await delayOf(frame('Xing', 15, 'Other1.00'))).toBe(0);
  expect(await delayOf(bytesOf([0xff, 0xfb, 0x90, 0x64], zeros(400)))).toBe(0);
  expect(await delayOf(bytesOf(''))).toBe(0);
});
