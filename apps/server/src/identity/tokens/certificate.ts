import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/**
 * A self-signed X.509 certificate around an RSA key (RFC 5280), the form in which Google publishes token keys. Clients extract the public
 * key; they do not check the certificate itself.
 *
 * Implemented here because packages that issue certificates bring a dozen dependencies with them, close to the private key.
 */
export function issueCertificate(privateKey: KeyObject, commonName: string, notBefore: Date, notAfter: Date): string {
  const name = sequence(set(sequence(objectId(2, 5, 4, 3), tagged(0x0c, Buffer.from(commonName, 'utf8')))));
  const sha256WithRsa = sequence(objectId(1, 2, 840, 113_549, 1, 1, 11), tagged(0x05));
  const serial = randomBytes(16);
  // Serial numbers are positive: the first bit is the sign, and a leading zero byte would be dropped.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const toBeSigned = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    sha256WithRsa,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, sha256WithRsa, tagged(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** One DER element: tag, length, contents. */
function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const hex = body.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

const sequence = (...contents: readonly Buffer[]): Buffer => tagged(0x30, ...contents);
const set = (...contents: readonly Buffer[]): Buffer => tagged(0x31, ...contents);

function objectId(first: number, second: number, ...rest: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

/** Two-digit years up to 2049 and four-digit years from 2050, as the standard requires. */
function time(moment: Date): Buffer {
  const digits = `${moment.toISOString().replaceAll(/[-:T]|\.\d{3}/g, '')}`;
  return moment.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}
