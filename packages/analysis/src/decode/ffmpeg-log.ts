export interface DescribedAudio {
  /** As ffmpeg names the coding: `aac`, `pcm_s16le`; `none` if it does not know it. */
  readonly codec: string;
  /** Hz; null if the file states none, or nonsense. */
  readonly sampleRate: number | null;
  /** Length that the file states; null if it states none. */
  readonly statedSeconds: number | null;
  /** False when ffmpeg estimated `statedSeconds` from the bit rate. */
  readonly isExact: boolean;
}

const LEVELLED = /^(?:\[[^\]]* @ [^\]]*\] )*\[(panic|fatal|error|warning|info)\] (.*)$/;
const DURATION = /^ {2}Duration: (?:(\d+):(\d\d):(\d\d(?:\.\d+)?)|N\/A)/;
const STREAM = /^ +Stream #0:\d+/;
const AUDIO_STREAM = /^ +Stream #0:\d+.*?: Audio: (\w+)(?:.*?, (\d+) Hz)?/;
const ENDED_EARLY =
  /partial file|ended prematurely|ends prematurely|Packet corrupt \(stream|incomplete frame|moov atom not found|Input packet size too small|Truncat/i;
const MAX_LINE = 2000;
const MAX_COMPLAINTS = 12;

export type FfmpegLog = Readonly<ReturnType<typeof createFfmpegLog>>;

/**
 * Parses what ffmpeg writes to stderr with `-loglevel level+info`: the description of the input, and complaints.
 *
 * The format of these lines is the same from ffmpeg 5 to 9. They include text from the file, such as titles, which cannot pass for a
 * description because ffmpeg indents every line of it.
 *
 * @param track the audio track that is read, from 0
 */
export function createFfmpegLog(track = 0) {
  let unfinished = '';
  let statedSeconds: number | null = null;
  let isExact = true;
  const complaints: string[] = [];
  const log = {
    /** The audio track that is read, once ffmpeg has described it. */
    audio: undefined as DescribedAudio | undefined, // widened: set when the line arrives
    /** number of tracks of any kind described so far */
    streams: 0,
    /** number of audio tracks described so far */
    tracks: 0,
    /** ffmpeg has described all of its input. */
    isDescribed: false,
    /** ffmpeg found no audio stream. */
    hasNoAudio: false,
    ranOutOfMemory: false,
    /** ffmpeg could not write its output: the disk, or its quota, is full. */
    isDiskFull: false,
    /** The file ended before the recording did. */
    endedEarly: false,
    /** ffmpeg has no decoder for the audio. */
    hasNoDecoder: false,
    /** The audio is copy-protected. */
    isProtected: false,
    /** ffmpeg reported an error, not only a warning. */
    hasErrors: false,
    /** Number of the signal on which ffmpeg exited in good order. */
    endedBySignal: null as number | null, // widened
    /** The last complaints, for the operator's log. */
    complaints,
    push(text: string): void {
      const lines = (unfinished + text).split(/[\r\n]/);
      unfinished = (lines.pop() ?? '').slice(0, MAX_LINE);
      for (const line of lines) readLine(line.slice(0, MAX_LINE));
    },
  };

  function readLine(line: string): void {
    const [, level, text] = LEVELLED.exec(line) ?? [];
    if (level === undefined || text === undefined) return;
    if (level === 'info') readDescription(text);
    else readComplaint(text, level !== 'warning');
  }

  function readDescription(text: string): void {
    const signal = /^Exiting normally, received signal (\d+)\./.exec(text)?.[1];
    if (signal !== undefined) log.endedBySignal = Number(signal);
    if (/^(Stream mapping:|Output #0,)/.test(text)) log.isDescribed = true;
    if (log.isDescribed) return;
    const duration = DURATION.exec(text);
    if (duration !== null) {
      const [, hours, minutes, seconds] = duration;
      statedSeconds = hours === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
      return;
    }
    if (STREAM.test(text)) log.streams += 1;
    const stream = AUDIO_STREAM.exec(text);
    if (stream === null) return;
    log.tracks += 1;
    if (log.tracks !== track + 1) return;
    if (/\((drms|enca) \//.test(text)) log.isProtected = true;
    const sampleRate = Number(stream[2] ?? 0);
    log.audio = { codec: stream[1] ?? 'none', sampleRate: sampleRate > 0 ? sampleRate : null, statedSeconds, isExact };
  }

  function readComplaint(text: string, isError: boolean): void {
    if (isError) log.hasErrors = true;
    // ffmpeg writes this before the description.
    if (text.startsWith('Estimating duration from bitrate')) isExact = false;
    if (text.includes('matches no streams')) log.hasNoAudio = true;
    if (text.includes('Cannot allocate memory')) log.ranOutOfMemory = true;
    if (/No space left on device|Disk quota exceeded/.test(text)) log.isDiskFull = true;
    if (/no decoder found|Decoder .*not found|Unknown decoder/i.test(text)) log.hasNoDecoder = true;
    if (ENDED_EARLY.test(text)) log.endedEarly = true;
    complaints.push(text.slice(0, 300));
    if (complaints.length > MAX_COMPLAINTS) complaints.shift();
  }
  return log;
}
