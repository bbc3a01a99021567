/**
 * What a file chooser may offer: extensions, for systems that know them, and media types, for phones. A hint only: whether a
 * recording can be read is told by its content.
 */
export const acceptedFormats = [
  'audio/*',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  '.wav',
  '.w64',
  '.rf64',
  '.flac',
  '.mp3',
  '.m4a',
  '.mp4',
  '.aac',
  '.ogg',
  '.oga',
  '.opus',
  '.webm',
  '.mka',
  '.mkv',
  '.mov',
  '.3gp',
  '.amr',
  '.aif',
  '.aiff',
  '.caf',
  '.wma',
  '.wv',
  '.ac3',
] as const;
