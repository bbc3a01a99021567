import { ask } from '../../harness/api.ts';
import type { Pieces } from './ledger.ts';
import type { Sound } from './sounds.ts';
import { WrongAnswer } from './wrong-answer.ts';

const pieces = 3;
const protocol = { 'tus-resumable': '1.0.0' } as const;

/**
 * Sends a recording in pieces with the tus protocol, or resumes an upload at the server's offset.
 *
 * @returns the upload's id, and whether it was resumed after a crash; null when the server is busy
 * @throws WrongAnswer when fewer bytes are stored than were acknowledged
 */
export async function sendPieces(
  origin: string,
  token: string,
  { name, bytes }: Sound,
  sent: Pieces,
): Promise<{ readonly id: string; readonly resumed: boolean } | null> {
  const resumed = sent.path !== null;
  sent.path ??= await begin(origin, token, name, bytes.length);
  if (sent.path === null) return null;
  const path = sent.path;
  const id = path.split('/').at(-1) ?? '';
  let offset = resumed ? await askOffset(origin, token, path, sent) : 0;
  while (offset !== null && offset < bytes.length) {
    const piece = bytes.slice(offset, offset + Math.ceil(bytes.length / pieces));
    const { status, headers, body } = await ask(origin, 'PATCH', path, {
      token,
      body: new Blob([piece]),
      headers: { ...protocol, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    });
    if (status !== 204) throw new WrongAnswer(`A piece was answered ${status} ${JSON.stringify(body)}`, status);
    offset = Number(headers.get('upload-offset'));
    sent.acknowledgedBytes = offset;
  }
  return { id, resumed: resumed && offset !== null };
}

async function begin(origin: string, token: string, name: string, length: number): Promise<string | null> {
  const { status, headers, body } = await ask(origin, 'POST', '/v1/uploads', {
    token,
    headers: { ...protocol, 'upload-length': String(length), 'upload-metadata': `filename ${btoa(name)}` },
  });
  if (status === 503) return null;
  if (status !== 201) throw new WrongAnswer(`A new upload was answered ${status} ${JSON.stringify(body)}`, status);
  return new URL(headers.get('location') ?? '', origin).pathname;
}

/** @returns null when a prediction has taken the upload over */
async function askOffset(
  origin: string,
  token: string,
  path: string,
  { acknowledgedBytes, wasNamed }: Pieces,
): Promise<number | null> {
  const { status, headers } = await ask(origin, 'HEAD', path, { token, headers: protocol });
  if (status === 404 && wasNamed) return null;
  if (status !== 200) throw new WrongAnswer(`An upload that had begun was answered ${status}`, status);
  const offset = Number(headers.get('upload-offset'));
  if (offset < acknowledgedBytes)
    throw new WrongAnswer(`Of ${acknowledgedBytes} bytes that had arrived ${offset} are left`, status);
  return offset;
}
