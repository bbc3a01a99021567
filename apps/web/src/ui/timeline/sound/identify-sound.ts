/** What a file's first bytes say about its sound. */
export interface IdentifiedSound {
  /** As a browser's `canPlayType` understands it, with the codec where the header tells. */
  readonly mimeType: string;
  /** null where the header does not tell */
  readonly durationSeconds: number | null;
}

const charactersAt = (head: Uint8Array, offset: number, count: number): string =>
  String.fromCharCode(...head.subarray(offset, offset + count));
const includes = (head: Uint8Array, characters: string): boolean => charactersAt(head, 0, 256).includes(characters);

const only = (mimeType: string): IdentifiedSound => ({ mimeType, durationSeconds: null });

/** WAVE formats that every browser decodes: PCM, float, and both in an extensible header. */
const plainWaveFormats = [1, 3, 0xfffe];

function readWave(head: Uint8Array, sizeBytes: number): IdentifiedSound | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (let at = 12; at + 24 <= head.length; ) {
    const length = view.getUint32(at + 4, true);
    if (charactersAt(head, at, 4) === 'fmt ') {
      const bytesPerSecond = view.getUint32(at + 16, true);
      if (!plainWaveFormats.includes(view.getUint16(at + 8, true)) || bytesPerSecond === 0) return null;
      return { mimeType: 'audio/wav', durationSeconds: sizeBytes / bytesPerSecond };
    }
    at += 8 + length + (length % 2);
  }
  return only('audio/wav'); // the format lies behind long metadata
}

/** STREAMINFO: 20 bits of sample rate, later 36 bits of samples. Source: RFC 9639, section 8.2. */
function readFlac(head: Uint8Array): IdentifiedSound {
  if (head.length < 26) return only('audio/flac');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const sampleRate = view.getUint32(18) >>> 12;
  const samples = (view.getUint8(21) & 15) * 2 ** 32 + view.getUint32(22);
  return { mimeType: 'audio/flac', durationSeconds: sampleRate > 0 && samples > 0 ? samples / sampleRate : null };
}

function readOgg(head: Uint8Array): IdentifiedSound | null {
  if (includes(head, 'OpusHead')) return only('audio/ogg; codecs="opus"');
  if (includes(head, '\x01vorbis')) return only('audio/ogg; codecs="vorbis"');
  if (includes(head, '\x7fFLAC')) return only('audio/ogg; codecs="flac"');
  return null;
}

/** Kinds told by their first bytes, for which some browser has a decoder. */
const signatures: readonly (readonly [characters: string, mimeType: string])[] = [
  ['ID3', 'audio/mpeg'],
  ['caff', 'audio/x-caf'],
  ['#!AMR', 'audio/amr'],
  ['\x0b\x77', 'audio/ac3'],
  ['\x30\x26\xb2\x75', 'audio/x-ms-wma'],
];

/**
 * Tells the kind of a recording by its content; a name would lie too often.
 *
 * @param head the file's first bytes
 * @returns null for what no browser is known to decode
 */
export function identifySound(head: Uint8Array, sizeBytes: number): IdentifiedSound | null {
  const first = charactersAt(head, 0, 4);
  const form = charactersAt(head, 8, 4);
  if (first === 'RIFF') return form === 'WAVE' ? readWave(head, sizeBytes) : null;
  if (first === 'FORM') return form.startsWith('AIF') ? only('audio/aiff') : null;
  if (first === 'fLaC') return readFlac(head);
  if (first === 'OggS') return readOgg(head);
  if (first === '\x1a\x45\xdf\xa3') return includes(head, 'webm') ? only('audio/webm') : null;
  if (charactersAt(head, 4, 4) === 'ftyp') return only(form.startsWith('3g') ? 'audio/3gpp' : 'audio/mp4');
  const signed = signatures.find(([characters]) => charactersAt(head, 0, characters.length) === characters);
  if (signed) return only(signed[1]);
  const [sync = 0, version = 0] = head;
  if (sync !== 0xff || (version & 0xe0) !== 0xe0) return null;
  // The two bits of the layer are 0 in an AAC frame, and never in one of MPEG audio.
  return (version & 6) === 0 ? only('audio/aac') : only('audio/mpeg');
}
