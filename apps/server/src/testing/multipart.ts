/** One part of a form as it is sent: its header lines and its content, both unchecked. */
export interface Part {
  readonly headers: readonly string[];
  readonly content: string | Buffer;
}

export const BOUNDARY = 'chiffchaff-test-boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export const field = (name: string, content: string): Part => ({
  headers: [`Content-Disposition: form-data; name="${name}"`],
  content,
});

export const file = (content: string | Buffer, fileName = 'morning.wav', type = 'audio/wav', name = 'file'): Part => ({
  headers: [`Content-Disposition: form-data; name="${name}"; filename="${fileName}"`, `Content-Type: ${type}`],
  content,
});

/** Encodes a form by hand, so that a test can also write a malformed one. */
export function form(parts: readonly Part[], { boundary = BOUNDARY, end = true } = {}): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end ? `--${boundary}--\r\n` : '')]);
}
