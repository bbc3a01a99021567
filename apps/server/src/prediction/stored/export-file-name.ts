/** The `filename` parameters of a download (RFC 6266): the recording's name with another extension, as ASCII and in full. */
export function exportFileName(recording: string | null, ending: string): string {
  const name = `${(recording ?? '').replace(/\.[^.]{1,5}$/, '') || 'prediction'}.${ending}`;
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const full = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${full}`;
}
