/**
 * What a file chooser offers: extensions, for systems that know them, and media types, for phones. Only a hint: whether a recording can be
 * read depends on its content.
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
