/** Endings of file names that may be recordings. Whether one can be read depends on its content. */
export const recordingEndings: readonly string[] =
  'wav wave w64 rf64 bwf flac mp3 mp2 m4a m4b m4v aac mp4 mov qta 3gp 3gpp 3g2 3ga ogg oga opus spx webm mka mkv wma asf aif aiff aifc caf amr awb wv ac3'.split(
    ' ',
  );

/** What a file chooser offers: extensions, for systems that know them, and media types, for phones. */
export const acceptedFormats: readonly string[] = [
  ...['audio/*', 'video/mp4', 'video/quicktime', 'video/webm'],
  ...recordingEndings.map((ending) => `.${ending}`),
];
