import { BOUNDARY, FORM_TYPE, field, file, form, type Part } from './multipart.ts';
import { wav } from './wav.ts';

/**
 * Malformed or abusive requests to `POST /get_prediction`, as broken clients and attackers send them. A form that is odd but understandable
 * is answered.
 */
export interface BadForm {
  readonly what: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: () => Buffer;
  readonly status: number;
  /** null if it is answered */
  readonly code: string | null;
}

const sound = wav(1);
const recording = file(sound);
const typed = (contentType: string): Record<string, string> => ({ 'content-type': contentType });

const row = (
  what: string,
  body: () => Buffer | string,
  [status, code]: readonly [number, string | null],
  headers: Readonly<Record<string, string>> = typed(FORM_TYPE),
): BadForm => ({ what, headers, body: () => Buffer.from(body()), status, code });
const parts = (...some: readonly Part[]) => form(some);
const raw = (...headers: readonly string[]): Part => ({ headers, content: sound });

const answered = [200, null] as const;
const missing = [400, 'FILE_MISSING'] as const;
const invalid = [400, 'REQUEST_INVALID'] as const;
const unsupported = [415, 'RECORDING_UNSUPPORTED'] as const;
const gone = [404, 'UPLOAD_NOT_FOUND'] as const;

const types: readonly BadForm[] = [
  row('no body, and nothing said of it', () => '', missing, {}),
  row('JSON', () => '{"file":"x"}', missing, typed('application/json')),
  row('a form of the other kind', () => 'file=x', missing, typed('application/x-www-form-urlencoded')),
  row('a recording without a form', () => sound, missing, typed('audio/wav')),
  row('a form without a boundary', () => parts(recording), invalid, typed('multipart/form-data')),
  row('a form with an empty boundary', () => parts(recording), invalid, typed('multipart/form-data; boundary=')),
  row(
    'a form with another boundary than announced',
    () => parts(recording),
    invalid,
    typed('multipart/form-data; boundary=other'),
  ),
  row(
    'a boundary of 5,000 characters',
    () => form([recording], { boundary: 'b'.repeat(5000) }),
    invalid,
    typed(`multipart/form-data; boundary=${'b'.repeat(5000)}`),
  ),
  row('a mixture in place of a form', () => parts(recording), missing, typed(`multipart/mixed; boundary=${BOUNDARY}`)),
  row('a compressed body', () => Buffer.from('1f8b0800000000000003', 'hex'), invalid, {
    ...typed(FORM_TYPE),
    'content-encoding': 'gzip',
  }),
];

const broken: readonly BadForm[] = [
  row('an empty body', () => '', invalid),
  row('only the last boundary', () => `--${BOUNDARY}--\r\n`, missing),
  row('no last boundary', () => form([recording], { end: false }), invalid),
  row(
    'half a last boundary',
    () => Buffer.concat([form([recording], { end: false }), Buffer.from(`--${BOUNDARY.slice(0, 5)}`)]),
    invalid,
  ),
  row('an end in the head of a part', () => `--${BOUNDARY}\r\nContent-Disposition: form-data; na`, invalid),
  row(
    'a part without an empty line',
    () => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"\r\n--${BOUNDARY}--\r\n`,
    missing,
  ),
  row(
    'line feeds alone',
    () =>
      form([field('top', '3')])
        .toString('latin1')
        .replaceAll('\r\n', '\n'),
    invalid,
  ),
  row('words before the first part', () => Buffer.concat([Buffer.from('This is a form.\r\n'), parts(recording)]), answered),
  row('words behind the last part', () => Buffer.concat([parts(recording), Buffer.from('That was a form.')]), answered),
  row('a recording that looks like a boundary', () => parts(file(`\r\n--${BOUNDARY.slice(0, 10)}`)), unsupported),
  row('random bytes in place of a form', () => Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256)), invalid),
];

const counts: readonly BadForm[] = [
  row('no recording', () => parts(field('latitude', '50'), field('longitude', '12')), missing),
  row('a recording by another name', () => parts(file(sound, 'a.wav', 'audio/wav', 'recording')), missing),
  row('a file field that was left empty', () => parts(raw('Content-Disposition: form-data; name="file"; filename=""')), answered),
  row('a file field with a name and nothing in it', () => parts(file('', 'a.wav')), [422, 'RECORDING_EMPTY']),
  row('two recordings', () => parts(recording, recording), invalid),
  row(
    'three recordings of other names',
    () => parts(file(sound, 'a', 'audio/wav', 'a'), file(sound, 'a', 'audio/wav', 'b'), recording),
    missing,
  ),
  row('a field twice', () => parts(field('top', '3'), field('top', '3'), recording), invalid),
  row('a field behind the recording, twice', () => parts(recording, field('top', '3'), field('top', '4')), invalid),
  row('a field of 100 kB', () => parts(field('language', 'x'.repeat(100_000)), recording), invalid),
  row('33 fields', () => parts(...Array.from({ length: 33 }, (_, n) => field(`field-${n}`, 'x')), recording), invalid),
  row('10,000 fields', () => parts(...Array.from({ length: 10_000 }, (_, n) => field(`field-${n}`, 'x')), recording), invalid),
  row(
    '5,000 fields behind the recording',
    () => parts(recording, ...Array.from({ length: 5000 }, (_, n) => field(`field-${n}`, 'x'))),
    invalid,
  ),
  row('an empty field without a name', () => parts(field('', ''), recording), answered),
  row('300 kB behind the last part', () => Buffer.concat([parts(recording), Buffer.alloc(300_000)]), invalid),
];

const names: readonly BadForm[] = [
  ...[
    ['a path', '../../../../etc/passwd'],
    ['a path of Windows', '..\\..\\windows\\system32\\config\\sam'],
    ['a whole path', '/dev/zero'],
    ['an address', 'file:///etc/passwd'],
    ['an order to ffmpeg', '-i /etc/passwd'],
    ['an order to a shell', '$(reboot)`reboot`; reboot'],
    ['10 kB', `${'n'.repeat(10_000)}.wav`],
    ['a zero byte', 'a.wav\0.exe'],
    ['control and direction characters', 'a\u0007\u202egpj.wav'],
    ['nothing but dots', '..'],
    ['a reserved word', 'CON'],
  ].map(([what, name]) => row(`a file called by ${what}`, () => parts(file(sound, name)), answered)),
  row(
    'a name in two forms',
    () => parts(raw(`Content-Disposition: form-data; name="file"; filename="a.wav"; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`)),
    answered,
  ),
  row(
    'a name without its last quote',
    () => parts(raw('Content-Disposition: form-data; name="file"; filename="a.wav')),
    answered,
  ),
  row('a recording without a name or type', () => parts(raw('Content-Disposition: form-data; name="file"')), answered),
  row(
    'a field of every object',
    () => parts(field('__proto__', '1'), field('constructor', '2'), field('toString', '3'), recording),
    answered,
  ),
  row('a field whose name has 10 kB', () => parts(field('n'.repeat(10_000), 'x'), recording), answered),
];

const heads: readonly BadForm[] = [
  row(
    'a part without a head',
    () => Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n\r\n`), sound, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
    missing,
  ),
  row('a part that is attached', () => parts(raw('Content-Disposition: attachment; name="file"')), missing),
  row(
    '1,000 lines in the head of a part',
    () => parts(raw(...Array.from({ length: 1000 }, (_, n) => `X-${n}: y`), 'Content-Disposition: form-data; name="file"')),
    missing,
  ),
  row(
    'a line of 100 kB in the head of a part',
    () => parts(raw(`X-Long: ${'x'.repeat(100_000)}`, 'Content-Disposition: form-data; name="file"')),
    missing,
  ),
  row('a form in a part', () => parts(file(form([recording]), 'a', `multipart/mixed; boundary=${BOUNDARY}2`)), answered),
  row(
    'a form of another boundary in a part',
    () => parts(file(form([field('file', 'x')], { boundary: 'inner' }), 'a', 'multipart/mixed; boundary=inner')),
    unsupported,
  ),
  row(
    'a recording in letters',
    () =>
      parts({
        headers: ['Content-Disposition: form-data; name="file"', 'Content-Transfer-Encoding: base64'],
        content: sound.toString('base64'),
      }),
    unsupported,
  ),
];

const values: readonly BadForm[] = [
  row('a zero byte in a field', () => parts(field('top', '3\0'), recording), invalid),
  row('half a place', () => parts(field('latitude', '50'), recording), invalid),
  row('a source of no place', () => parts(field('placeSource', 'file'), recording), invalid),
  row(
    'a place that says it is assumed',
    () => parts(field('latitude', '5'), field('longitude', '5'), field('placeSource', 'assumed'), recording),
    invalid,
  ),
  row('an endless time zone', () => parts(field('timeZone', 'Europe/'.repeat(50)), recording), invalid),
  row('an unknown time zone', () => parts(field('timeZone', '../../etc/passwd\u0000'), recording), answered),
  row('two time zones', () => parts(field('timeZone', 'UTC'), field('timeZone', 'UTC'), recording), invalid),
  row('a place beyond the pole', () => parts(field('latitude', '1e309'), field('longitude', '0'), recording), invalid),
  row('no number', () => parts(field('minScore', 'NaN'), recording), invalid),
  row('a path for a language', () => parts(field('language', '../../etc/passwd'), recording), invalid),
  row('a date that there is not', () => parts(field('date', '2026-02-31'), recording), invalid),
  row(
    'a field in 16 bits',
    () =>
      parts(
        {
          headers: ['Content-Disposition: form-data; name="top"', 'Content-Type: text/plain; charset=utf-16le'],
          content: Buffer.from('many', 'utf16le'),
        },
        recording,
      ),
    invalid,
  ),
  row('an upload that there is not', () => parts(field('upload', '00000000-0000-4000-8000-000000000000')), gone),
  row('a path for an upload', () => parts(field('upload', '../../../etc/passwd')), gone),
  row('an upload beside a recording', () => parts(field('upload', 'x'), recording), invalid),
  row('a key of 10 kB', () => parts(recording), invalid, { ...typed(FORM_TYPE), 'idempotency-key': 'k'.repeat(10_000) }),
  row('a head of 100 kB', () => parts(recording), [400, 'REQUEST_INVALID'], {
    ...typed(FORM_TYPE),
    'x-long': 'x'.repeat(100_000),
  }),
  row('3 GB announced', () => parts(recording), [413, 'RECORDING_TOO_LARGE'], {
    ...typed(FORM_TYPE),
    'content-length': '3000000000',
  }),
];

export const badForms: readonly BadForm[] = [...types, ...broken, ...counts, ...names, ...heads, ...values];
