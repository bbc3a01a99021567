const mediaTypes: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  wma: 'audio/x-ms-wma',
  webm: 'video/webm',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

/** By the extension; `audio/*` for an unknown one, because the standard requires an audio type for each file. */
export const mediaType = (file: string): string => mediaTypes[file.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'audio/*';

/** A path as Data Packages accept it: relative, without `..`, with `/` between its parts. */
export const mediaPath = (file: string): string =>
  file
    .replaceAll('\\', '/')
    .replace(/^([a-z]:)?[./~]+/i, '')
    .replace(/(^|\/)\.\.(?=\/)/g, '$1')
    .replace(/\/{2,}/g, '/')
    .replaceAll('..', '%2E%2E');
