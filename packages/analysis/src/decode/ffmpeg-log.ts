export interface DescribedAudio {
  /** ffmpeg's name of the coding: `aac`, `pcm_s16le`; `none` where it does not know it. */
  readonly codec: string;
  /** Hz; null where the file does not say or says nonsense. */
  readonly sampleRate: number | null;
  /** How long the file says it is; null where it does not say. */
  readonly statedSeconds: number | null;
  /** False when `statedSeconds` is worked out from the bit rate. */
  readonly isExact: boolean;
}

const LEVELLED = /^(?:\[[^\]]* @ [^\]]*\] )*\[(panic|fatal|error|warning|info)\] (.*)$/;
const DURATION = /^ {2}Duration: (?:(\d+):(\d\d):(\d\d(?:\.\d+)?)|N\/A)/;
const AUDIO_STREAM = /^ +Stream #0:\d+.*?: Audio: (\w+)(?:.*?, (\d+) Hz)?/;
const ENDED_EARLY =
  /partial file|ended prematurely|ends prematurely|Packet corrupt \(stream|incomplete frame|moov atom not found|Input packet size too small|Truncat/i;
const MAX_LINE = 2000;
const MAX_COMPLAINTS = 12;

export type FfmpegLog = Readonly<ReturnType<typeof createFfmpegLog>>;

/**
 * Reads what ffmpeg says on stderr with `-loglevel level+info`: the description of the input it opened, and complaints.
 *
 * The form of these lines is the same from ffmpeg 5 to 9. Titles and the like from the file are in there too; they cannot pass
 * for a description, because ffmpeg puts its own margin in front of every line of them.
 */
export function createFfmpegLog() {
  let unfinished = '';
  let statedSeconds: number | null = null;
  let isExact = true;
  const complaints: string[] = [];
  const log = {
    /** The first audio stream, once ffmpeg has described its input. */
    audio: undefined as DescribedAudio | undefined, // widened: set when the line arrives
    /** ffmpeg looked for an audio stream and found none. */
    hasNoAudio: false,
    ranOutOfMemory: false,
    /** ffmpeg came to the end of the file before the end of the recording. */
    endedEarly: false,
    /** ffmpeg has no decoder for the audio. */
    hasNoDecoder: false,
    /** The audio is copy-protected. */
    isProtected: false,
    /** ffmpeg spoke of an error, not only of something odd. */
    hasErrors: false,
    /** Number of the signal that ffmpeg has ended upon by itself. */
    endedBySignal: null as number | null, // widened
    /** The last complaints, for the log of the operator. */
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
    if (log.audio !== undefined) return;
    const duration = DURATION.exec(text);
    if (duration !== null) {
      const [, hours, minutes, seconds] = duration;
      statedSeconds = hours === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
      return;
    }
    const stream = AUDIO_STREAM.exec(text);
    if (stream === null) return;
    if (/\((drms|enca) \//.test(text)) log.isProtected = true;
    const sampleRate = Number(stream[2] ?? 0);
    log.audio = { codec: stream[1] ?? 'none', sampleRate: sampleRate > 0 ? sampleRate : null, statedSeconds, isExact };
  }

  function readComplaint(text: string, isError: boolean): void {
    if (isError) log.hasErrors = true;
    // Comes before the description.
    if (text.startsWith('Estimating duration from bitrate')) isExact = false;
    if (text.includes('matches no streams')) log.hasNoAudio = true;
    if (text.includes('Cannot allocate memory')) log.ranOutOfMemory = true;
    if (/no decoder found|Decoder .*not found|Unknown decoder/i.test(text)) log.hasNoDecoder = true;
    if (ENDED_EARLY.test(text)) log.endedEarly = true;
    complaints.push(text.slice(0, 300));
    if (complaints.length > MAX_COMPLAINTS) complaints.shift();
  }
  return log;
}
