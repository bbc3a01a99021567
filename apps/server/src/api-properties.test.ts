import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORM_TYPE, field, file, form } from './testing/multipart.ts';
import { createTestServer, type TestServer } from './testing/test-server.ts';

/**
 * Properties of the whole HTTP API, from its own description: every request to an operation, well-formed or not, gets a response without a
 * fault of ours and in a form that the description promises for its status.
 */

type Schema = Readonly<Record<string, unknown>>;
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly body: { readonly type: string; readonly schema: Schema } | null;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

const runsPerOperation = 25;
const many = '1000000/3600';
let server: TestServer;
let operations: Operation[];
const ajv = addFormats.default(new Ajv2020({ strict: false }));

beforeAll(async () => {
  server = await createTestServer({
    environment: {
      OPEN_PREDICTION: 'false',
      SIGN_UP_LIMIT_PER_CLIENT: many,
      SIGN_IN_LIMIT_PER_CLIENT: many,
      SIGN_IN_LIMIT_PER_ADDRESS: many,
    },
  });
  operations = readOperations((await server.app.inject({ url: '/openapi.json' })).json());
});
afterAll(() => server.close());

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, taken apart here
function readOperations(document: any): Operation[] {
  return Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: the same
    Object.entries<any>(methods).map(([method, operation]) => {
      const [type, media] = Object.entries<{ schema: Schema }>(operation.requestBody?.content ?? {})[0] ?? [];
      return {
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        body: type === undefined || media === undefined ? null : { type, schema: media.schema },
        responses: operation.responses,
      };
    }),
  );
}

const hostileTexts = fc.constantFrom(
  ...[
    '',
    ' ',
    '\u0000',
    '../../etc/passwd',
    "' OR 1=1 --",
    '<img src=x onerror=alert(1)>',
    '=1+1',
    '9'.repeat(400),
    '\u202e',
    '𝕏',
  ],
);
const anyText = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 20 }), hostileTexts);

/** Values that mostly fit a schema; the rest is arbitrary. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fittingValuesOf(schema), weight: 4 }, { arbitrary: fc.oneof(anyText, fc.jsonValue()), weight: 1 });
}

function fittingValuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { enum: options, const: constant, anyOf, oneOf, type, pattern, properties, items, minimum, maximum } = schema;
  if (Array.isArray(options)) return fc.constantFrom(...options);
  if (constant !== undefined) return fc.constant(constant);
  for (const choices of [anyOf, oneOf]) if (Array.isArray(choices)) return fc.oneof(...choices.map(valuesOf));
  const min = typeof minimum === 'number' ? minimum : -1e6;
  const max = typeof maximum === 'number' ? maximum : 1e6;
  if (type === 'string') return typeof pattern === 'string' ? fc.stringMatching(new RegExp(pattern)) : anyText;
  if (type === 'integer') return fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) });
  if (type === 'number') return fc.double({ min, max, noNaN: true });
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'array') return fc.array(valuesOf((items ?? {}) as Schema), { maxLength: 5 });
  if (type === 'object' && properties) {
    const fields = Object.entries(properties as Record<string, Schema>).map(([name, each]) => [name, valuesOf(each)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  }
  return fc.jsonValue();
}

interface Person {
  readonly token: string;
  readonly ids: readonly string[];
}

/** A new account with one answered recording, because deleting the account is one of the operations. */
async function makePerson(name = randomUUID()): Promise<Person> {
  const payload = { email: `${name}@example.org`, password: 'two short notes', returnSecureToken: true };
  const { idToken } = (await server.app.inject({ method: 'POST', url: '/v1/accounts:signUp?key=any', payload })).json();
  const headers = { authorization: `Bearer ${idToken}`, 'content-type': FORM_TYPE, 'idempotency-key': `key-of-${name}` };
  const answer = await server.app.inject({ method: 'POST', url: '/get_prediction', headers, payload: form([file('a sound')]) });
  expect(answer.statusCode, answer.body).toBe(200);
  return { token: idToken, ids: [answer.json().id, `key-of-${name}`] };
}

function requestsOf(operation: Operation, { token, ids }: Person) {
  const values = operation.parameters.map(({ in: place, name, schema }) => {
    if (place === 'path') return [name, fc.oneof(fc.constantFrom(...ids), anyText)] as const;
    // A wait that is granted takes its seconds.
    const value = name === 'wait' ? fc.oneof(fc.constant(0), anyText) : valuesOf(schema);
    return [name, fc.option(value, { nil: undefined })] as const;
  });
  return fc.record({
    parameters: fc.record(Object.fromEntries(values)),
    body: operation.body === null ? fc.constant(undefined) : valuesOf(operation.body.schema),
    token: fc.oneof({ arbitrary: fc.constant<string | null>(token), weight: 6 }, fc.constantFrom(null, 'no.token.atall')),
  });
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

async function send(
  { method, path, parameters: declared, body: declaredBody }: Operation,
  request: {
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly body: unknown;
    readonly token: string | null;
  },
) {
  const query = new URLSearchParams();
  let url = path;
  for (const { in: place, name } of declared) {
    const value = request.parameters[name];
    const segment = encodeURIComponent(asText(value).slice(0, 200));
    // Clients turn an empty segment, or one of dots, into the URL of another route.
    if (place === 'path') url = url.replace(`{${name}}`, /^\.{0,2}$/.test(segment) ? '-' : segment);
    else if (value !== undefined) query.append(name, asText(value));
  }
  const authorization = request.token === null ? {} : { authorization: `Bearer ${request.token}` };
  const body = payloadOf(declaredBody?.type, request.body);
  return server.app.inject({
    method: method as 'GET',
    url: `${url}?${query}`,
    headers: { ...authorization, ...body.headers },
    ...(body.payload === undefined ? {} : { payload: body.payload }),
  });
}

function payloadOf(type: string | undefined, body: unknown): { headers: Record<string, string>; payload?: string | Buffer } {
  if (type === undefined) return { headers: {} };
  if (type !== 'multipart/form-data') return { headers: { 'content-type': type }, payload: JSON.stringify(body) ?? '' };
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const parts = entries
    .filter(([name]) => name !== 'file')
    .map(([name, value]) => field(name.replaceAll(/["\r\n]/g, ''), asText(value)));
  return { headers: { 'content-type': FORM_TYPE }, payload: form([...parts, file('a sound')]) };
}

/** The media types and schemas promised for a status or its class. */
const promisedFor = ({ responses }: Operation, status: number) =>
  (responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`])?.content;

describe('Every operation of the API', () => {
  it('answers arbitrary requests as documented, and never with status 500', async () => {
    expect(operations.length).toBeGreaterThan(25);
    const statuses = new Set<number>();
    for (const operation of operations) {
      const name = `${operation.method} ${operation.path}`;
      const person = await makePerson();
      await fc.assert(
        fc.asyncProperty(requestsOf(operation, person), async (request) => {
          const { statusCode, headers, body } = await send(operation, request);
          statuses.add(statusCode);
          expect(statusCode, `${name}: ${body}`).toBeLessThan(500);
          const promised = promisedFor(operation, statusCode);
          expect(promised, `${name} says nothing of ${statusCode}: ${body}`).toBeDefined();
          const type = String(headers['content-type']).split(';', 1)[0] ?? '';
          const media = promised?.[type];
          expect(media, `${name} does not promise ${type} for ${statusCode}: ${body}`).toBeDefined();
          // Files are promised as text, whatever they contain.
          if (!type.endsWith('json') || media === undefined || media.schema.type === 'string') return;
          const fits = ajv.validate(media.schema, JSON.parse(body));
          expect(fits, `${name} ${statusCode}: ${ajv.errorsText()} in ${body}`).toBe(true);
        }),
        { numRuns: runsPerOperation },
      );
    }
    // The test would prove nothing if every request were refused in the same way.
    for (const status of [200, 400, 401, 404]) expect(statuses).toContain(status);
  }, 300_000);
});
