import { readWaveChunks } from '@chiffchaff/recognizer/audio';
import {
  ADTS,
  type AudioCodec,
  AudioSampleSink,
  BlobSource,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputFormat,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny';
import { canBeHeld } from './can-be-held.ts';
import { mp3Delay } from './mp3-delay.ts';

/** This browser cannot decode a recording; the server may be able to. */
export class Undecodable extends Error {
  override readonly name = 'Undecodable';
}

/** An opened recording. Its numbers and names are those that the server reports. */
export interface Sound {
  readonly container: string;
  readonly codec: string;
  /** Hz, of the recording itself */
  readonly sampleRate: number;
  readonly channels: number;
  /** null if the file does not state it */
  readonly expectedSeconds: number | null;
  /**
   * One array per channel, all of the same length, −1…1 unless the recording is louder than full scale. The reader may change them.
   * Can be read once, to the end or until `return()`: the file is open until then.
   *
   * @throws Undecodable if the recording turns out to be damaged, or its rate or channels change
   */
  readonly pieces: AsyncGenerator<readonly Float32Array[], void>;
}

/** Each with its name in a prediction. */
const containers: readonly (readonly [InputFormat, string])[] = [
  [WAVE, 'wav'],
  [FLAC, 'flac'],
  [MP3, 'mp3'],
  [MP4, 'mp4'],
  [QTFF, 'mov'],
  [OGG, 'ogg'],
  [WEBM, 'webm'],
  [MATROSKA, 'matroska'],
  [ADTS, 'aac'],
];

/** The names that ffmpeg uses, as does the server. */
const codecName = (codec: AudioCodec): string =>
  codec.replace(/^pcm-([su](?:16|24|32)|f(?:32|64))$/, 'pcm_$1le').replace(/^pcm-/, 'pcm_');

const MOST_CHANNELS = 32;
/** The rate that `decodeAudioData` resamples to when nothing is known of the recording. */
const USUAL_RATE = 48_000;

/**
 * Opens a recording: as a stream if the browser can decode its codec (PCM always works), otherwise in one piece of up to ten minutes.
 *
 * @throws Undecodable
 */
export async function openSound(file: Blob): Promise<Sound> {
  const read = async (offset: number, length: number) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
  const wave = await readWaveChunks(file.size, read);
  if (wave?.isWrong || wave?.isTriggered) throw new Undecodable('Only the server knows what is missing in it');
  const input = new Input({ source: new BlobSource(file), formats: containers.map(([format]) => format) });
  let about: About = { container: 'unknown', codec: 'unknown', sampleRate: USUAL_RATE, expectedSeconds: null };
  try {
    const format = await input.getFormat();
    const tracks = await input.getAudioTracks();
    const decodable = tracks.length < 2 ? [] : await Promise.all(tracks.map((each) => each.canDecode()));
    const track = tracks[Math.max(0, decodable.indexOf(true))];
    if (track) {
      about = await describe(track, containers.find(([known]) => known === format)?.[1] ?? 'unknown');
      const delay = format === MP3 ? await mp3Delay(file) : 0;
      if (await track.canDecode()) return await openStream(track, about, delay);
    }
  } catch (error) {
    if (error instanceof Undecodable) throw error;
    // The library does not read this container; the browser may.
  }
  input.dispose();
  return openWhole(file, about);
}

type About = Omit<Sound, 'pieces' | 'channels'>;

async function describe(track: InputAudioTrack, container: string): Promise<About> {
  const codec = await track.getCodec();
  return {
    container,
    codec: codec === null ? 'unknown' : codecName(codec),
    sampleRate: await track.getSampleRate(),
    expectedSeconds: (await track.getDurationFromMetadata()) ?? (await track.computeDuration()),
  };
}

/**
 * Reads rate and channels from the first piece, since the container does not state them for every codec. The piece is closed, and read
 * again with the others.
 */
async function readShape(track: InputAudioTrack): Promise<Pick<Sound, 'sampleRate' | 'channels'>> {
  const samples = new AudioSampleSink(track).samples();
  try {
    const first = await samples.next();
    if (first.done) throw new Undecodable('There is no sound in it');
    const { sampleRate, numberOfChannels: channels } = first.value;
    first.value.close();
    return { sampleRate, channels };
  } finally {
    await samples.return();
  }
}

/** @param delay samples at the start that are not part of the recording */
async function openStream(track: InputAudioTrack, about: About, delay: number): Promise<Sound> {
  const { sampleRate, channels } = await readShape(track);
  if (channels > MOST_CHANNELS) throw new Undecodable(`It has ${channels} channels`);

  // Nothing is opened before the first piece is requested, so a recording that is opened and never read leaks nothing.
  async function* pieces(): Sound['pieces'] {
    const samples = new AudioSampleSink(track).samples();
    let ahead = delay;
    try {
      for await (const sample of samples) {
        const planes: Float32Array[] = [];
        try {
          if (sample.sampleRate !== sampleRate || sample.numberOfChannels !== channels)
            throw new Undecodable('Its rate or its channels change');
          // Samples before time zero come from the encoder.
          const skipped = Math.min(sample.numberOfFrames, ahead + Math.max(0, Math.round(-sample.timestamp * sampleRate)));
          ahead = Math.max(0, ahead - sample.numberOfFrames);
          for (let planeIndex = 0; planeIndex < channels; planeIndex++) {
            const plane = new Float32Array(sample.numberOfFrames - skipped);
            if (plane.length > 0) sample.copyTo(plane, { planeIndex, format: 'f32-planar', frameOffset: skipped });
            planes.push(plane);
          }
        } finally {
          sample.close();
        }
        yield planes;
      }
    } catch (error) {
      throw error instanceof Undecodable ? error : new Undecodable('It is damaged', { cause: error });
    } finally {
      track.input.dispose();
    }
  }
  return { ...about, sampleRate, channels, pieces: pieces() };
}

/** Decodes the whole file with `decodeAudioData`, which may know codecs that WebCodecs does not. */
async function openWhole(file: Blob, about: About): Promise<Sound> {
  if (!canBeHeld(file.size, about.expectedSeconds)) throw new Undecodable('It is too long to be decoded in one piece');
  const { sampleRate } = about;
  let decoded: AudioBuffer;
  try {
    const context = new OfflineAudioContext({ length: 1, sampleRate });
    decoded = await context.decodeAudioData(await file.arrayBuffer());
  } catch (error) {
    throw new Undecodable('The browser does not know it', { cause: error });
  }
  async function* pieces(): Sound['pieces'] {
    const planes = Array.from({ length: decoded.numberOfChannels }, (_, channel) => decoded.getChannelData(channel));
    for (let at = 0; at < decoded.length; at += sampleRate) yield planes.map((plane) => plane.subarray(at, at + sampleRate));
  }
  return { ...about, channels: decoded.numberOfChannels, expectedSeconds: decoded.duration, pieces: pieces() };
}
