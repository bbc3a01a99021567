import { programVersion } from '@chiffchaff/analysis/program-version';
import { API_TOKEN_PREFIX, problemBodySchema } from '@chiffchaff/contract';
import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type ApiDocument, apiDocsFiles, apiDocsPage, readDocsFile } from './api-docs-page.ts';
import { makeFixedAnswer, type StaticResponse, sendFixedAnswer } from './static-response.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A multipart body that the route reads itself; described here because no validator sees it. */
    form?: { readonly file: boolean; readonly fields: z.ZodType };
  }
}

const problemResponse = {
  description: 'A problem (RFC 9457). Branch on `code`, never on the text.',
  content: { 'application/problem+json': { schema: problemBodySchema } },
};

function formSchema({ file, fields }: { file: boolean; fields: z.ZodType }): Record<string, unknown> {
  // Form fields arrive as text; the output side of the schema has the useful types.
  const { properties = {} } = z.toJSONSchema(fields, { io: 'output', unrepresentable: 'any' });
  const recording = {
    file: { type: 'string', format: 'binary', description: 'The recording, unless `upload` is given.' },
    upload: { type: 'string', description: 'Id of a finished resumable upload (/v1/uploads), instead of `file`.' },
  };
  return { type: 'object', properties: { ...(file ? recording : {}), ...properties } };
}

/** Collects the HTTP API from the routes' schemas; call it before routes are registered. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Chiffchaff',
        version: programVersion.version,
        description: 'Identifies the birds heard in a recording: which, when, how confidently and why.',
        license: { name: 'MIT' },
      },
      components: { securitySchemes },
      tags: topics.map(([name]) => ({ name })),
    },
    transform: (document) => {
      const form = document.route.config?.form;
      // Converts the zod schemas in fastify's route schema.
      const described = jsonSchemaTransform({
        ...document,
        schema: withProblems(document.schema),
      });
      const { url } = described;
      const tags = [topicOf(url)];
      const schema = { ...described.schema, tags, security: securityOf(document.route.config ?? {}) };
      return form ? { url, schema: { ...schema, consumes: ['multipart/form-data'], body: formSchema(form) } } : { schema, url };
    },
  });
}

/** Topics of routes, in the order of the page; the last one takes the rest. */
const topics = [
  ['Predictions', /^\/(get_prediction|v1\/(predictions|uploads|shared)\b)/],
  ['Birds and places', /^\/v1\/(species|places|occurrences|models)\b/],
  ['Recognition on the device', /^\/v1\/on-device\b/],
  ['Accounts', /^\/(v1\/(account|token|projects|invitations)|v2\/|identitytoolkit|securetoken)/],
  ['Operation', /^/],
] as const;

const topicOf = (url: string): string => topics.find(([, paths]) => paths.test(url))?.[0] ?? topics[4][0];

const securitySchemes = {
  idToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An ID token: a sign-in of a person.' },
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: `${API_TOKEN_PREFIX}…`,
    description:
      'An API token, made on the account page. Its scopes are `read` (see the predictions of the account) and `predict` (make predictions and follow them).',
  },
  ticket: { type: 'apiKey', in: 'query', name: 'ticket', description: 'A link that is valid for five minutes.' },
} as const;

/** Alternative credentials of a route; an empty one means that none is needed. */
function securityOf({ access, tokenScopes = [] }: FastifyContextConfig): Record<string, string[]>[] {
  if (access === 'public' && tokenScopes.length === 0) return [];
  return [
    ...(access === 'public' ? [{}] : []),
    { idToken: [] },
    ...tokenScopes.map((scope) => ({ apiToken: [scope] })),
    ...(access === 'signedInOrTicket' ? [{ ticket: [] }] : []),
  ];
}

function withProblems(schema: FastifySchema | undefined): FastifySchema {
  const answers = typeof schema?.response === 'object' ? schema.response : fileResponse(schema?.produces);
  // Identity routes declare their own error envelope.
  if (answers !== null && '4xx' in answers) return { ...schema };
  return { ...schema, response: { ...answers, '4xx': problemResponse, '5xx': problemResponse } };
}

/** Response of a route that sends no JSON, with the media types it declares. */
function fileResponse(produces: readonly string[] = ['application/octet-stream']) {
  const content = Object.fromEntries(produces.map((type) => [type, { schema: z.string() }]));
  return { 200: { description: 'A file or a stream.', content } };
}

const DOCS_PATH = '/docs/api';

/** `GET /openapi.json`, and a page for people at `/docs/api` that loads nothing from other servers. */
export function serveApiDocs(app: FastifyInstance): void {
  const serve = (paths: readonly string[], type: string, write: () => string | Buffer) => {
    let made: Promise<StaticResponse> | undefined;
    for (const path of paths) {
      app.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
        // Generated on the first request, when all routes are registered.
        made ??= makeFixedAnswer(type, write());
        return sendFixedAnswer(request, reply, await made);
      });
    }
  };
  serve(['/openapi.json', `${DOCS_PATH}/json`], 'application/json; charset=utf-8', () => JSON.stringify(app.swagger()));
  serve([`${DOCS_PATH}/yaml`], 'application/x-yaml', () => app.swagger({ yaml: true }));
  serve([DOCS_PATH, `${DOCS_PATH}/`], 'text/html; charset=utf-8', () => apiDocsPage(app.swagger() as ApiDocument, DOCS_PATH));
  for (const [name, type, address] of apiDocsFiles) serve([`${DOCS_PATH}/static/${name}`], type, () => readDocsFile(address));
}
