/** The containers we read, each with the ffmpeg demuxer for it. The content decides, never the file name. */

export interface RecordingKind {
  /** As named in the answer. */
  readonly container: string;
  /** As named in a sentence: "This looks like WAV but …". */
  readonly name: string;
  /** The one ffmpeg demuxer that may read the file. */
  readonly demuxer: string;
}

export const recordingKinds = {
  wav: { container: 'wav', name: 'WAV', demuxer: 'wav' },
  rf64: { container: 'rf64', name: 'WAV (RF64)', demuxer: 'wav' },
  w64: { container: 'w64', name: 'Wave64', demuxer: 'w64' },
  aiff: { container: 'aiff', name: 'AIFF', demuxer: 'aiff' },
  caf: { container: 'caf', name: 'CAF', demuxer: 'caf' },
  flac: { container: 'flac', name: 'FLAC', demuxer: 'flac' },
  mp3: { container: 'mp3', name: 'MP3', demuxer: 'mp3' },
  aac: { container: 'aac', name: 'AAC', demuxer: 'aac' },
  ac3: { container: 'ac3', name: 'AC-3', demuxer: 'ac3' },
  ogg: { container: 'ogg', name: 'OGG', demuxer: 'ogg' },
  webm: { container: 'webm', name: 'WebM', demuxer: 'matroska' },
  matroska: { container: 'matroska', name: 'Matroska', demuxer: 'matroska' },
  mp4: { container: 'mp4', name: 'M4A or MP4', demuxer: 'mov' },
  mov: { container: 'mov', name: 'QuickTime', demuxer: 'mov' },
  '3gp': { container: '3gp', name: '3GP', demuxer: 'mov' },
  asf: { container: 'asf', name: 'WMA', demuxer: 'asf' },
  amr: { container: 'amr', name: 'AMR', demuxer: 'amr' },
  wavpack: { container: 'wavpack', name: 'WavPack', demuxer: 'wv' },
} as const satisfies Record<string, RecordingKind>;

/** Every demuxer that may ever run. All others are disabled, playlists among them. */
export const DEMUXERS: readonly string[] = [...new Set(Object.values(recordingKinds).map((kind) => kind.demuxer))];
