import { Agent, request } from 'node:http';

/** A response with its body unparsed. */
export interface PlainAnswer {
  readonly status: number;
  readonly retryAfterSeconds: number;
  readonly text: string;
}

/** Sends the same recording repeatedly, at little more than the cost of writing it, because clients and server share the machine. */
export interface LightClient {
  /** @throws Error when the connection breaks */
  send(token: string): Promise<PlainAnswer>;
  close(): void;
}

const boundary = 'chiffchaff-trial-boundary';

/** @param fields sent before the file */
export function createLightClient(
  origin: string,
  { name, bytes, fields }: { name: string; bytes: Uint8Array; fields: Readonly<Record<string, string>> },
): LightClient {
  const agent = new Agent({ keepAlive: true });
  const texts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const fileHead = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(texts.join('') + fileHead), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const url = new URL('/get_prediction', origin);

  return {
    send: (token) =>
      new Promise((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': body.length,
        };
        const sent = request(url, { method: 'POST', agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              retryAfterSeconds: Number(response.headers['retry-after'] ?? 0),
              text: Buffer.concat(chunks).toString(),
            }),
          );
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
