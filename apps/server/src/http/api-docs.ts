import { readFileSync } from 'node:fs';
import { problemBodySchema } from '@chiffchaff/contract';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { declarePublic } from './access.ts';
import { type FixedAnswer, makeFixedAnswer, sendFixedAnswer } from './fixed-answer.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A multipart body that the route reads by itself: described here, because no validator sees it. */
    form?: { readonly file: boolean; readonly fields: z.ZodType };
  }
}

const problemResponse = {
  description: 'A problem (RFC 9457). Branch on `code`, never on text.',
  content: { 'application/problem+json': { schema: problemBodySchema } },
};

function formSchema({ file, fields }: { file: boolean; fields: z.ZodType }): Record<string, unknown> {
  // Fields are text in a form, whatever is read from them: the output side has the useful types.
  const { properties = {} } = z.toJSONSchema(fields, { io: 'output', unrepresentable: 'any' });
  const recording = {
    file: { type: 'string', format: 'binary', description: 'The recording; or else `upload`.' },
    upload: { type: 'string', description: 'Id of a finished upload in pieces (/v1/uploads), in place of `file`.' },
  };
  return { type: 'object', properties: { ...(file ? recording : {}), ...properties } };
}

/** Collects the HTTP API from the routes' schemas; to be called before the routes are registered. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Chiffchaff',
        version,
        description: 'Tells which bird was heard in a recording, when, how sure that is, and why.',
        license: { name: 'MIT' },
      },
    },
    transform: (document) => {
      const form = document.route.config?.form;
      // The contract's type of a fastify schema; the transformer reads zod schemas in it.
      const { schema, url } = jsonSchemaTransform({
        ...document,
        schema: withProblems(document.schema),
      });
      return form ? { url, schema: { ...schema, consumes: ['multipart/form-data'], body: formSchema(form) } } : { schema, url };
    },
  });
}

function withProblems(schema: FastifySchema | undefined): FastifySchema {
  const answers = typeof schema?.response === 'object' ? schema.response : fileResponse(schema?.produces);
  // Routes with an envelope of their own (identity) have said so.
  if (answers !== null && '4xx' in answers) return { ...schema };
  return { ...schema, response: { ...answers, '4xx': problemResponse, '5xx': problemResponse } };
}

/** What a route answers that sends no JSON: the media types that it says it produces. */
function fileResponse(produces: readonly string[] = ['application/octet-stream']) {
  const content = Object.fromEntries(produces.map((type) => [type, { schema: z.string() }]));
  return { 200: { description: 'A file or stream.', content } };
}

const DOCS_PATH = '/docs/api';
/** The large files of the page about the API. */
const docsFiles = [
  ['swagger-ui-bundle.js', 'text/javascript'],
  ['swagger-ui-standalone-preset.js', 'text/javascript'],
  ['swagger-ui.css', 'text/css'],
] as const;

/** `GET /openapi.json`, and the same for people at `/docs/api`, without a request to anywhere else. */
export async function serveApiDocs(app: FastifyInstance): Promise<void> {
  // Made when it is first asked for: all routes are there then.
  const once = (type: string, write: () => string) => {
    let made: Promise<FixedAnswer> | undefined;
    return () => {
      made ??= makeFixedAnswer(type, write());
      return made;
    };
  };
  const json = once('application/json; charset=utf-8', () => JSON.stringify(app.swagger()));
  const yaml = once('application/x-yaml', () => app.swagger({ yaml: true }));
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) =>
    sendFixedAnswer(request, reply, await json()),
  );
  await app.register(async (scope) => {
    declarePublic(scope);
    // Instead of the plugin's own, which would be read from the disk each time, and sent as they are.
    for (const [name, type] of docsFiles) {
      const file = once(`${type}; charset=utf-8`, () =>
        readFileSync(new URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`)), 'utf8'),
      );
      scope.get(`${DOCS_PATH}/static/${name}`, { schema: { hide: true } }, async (request, reply) =>
        sendFixedAnswer(request, reply, await file()),
      );
    }
    await scope.register(swaggerUi, {
      routePrefix: DOCS_PATH,
      uiConfig: { validatorUrl: null, docExpansion: 'list', supportedSubmitMethods: [] },
      theme: { title: 'Chiffchaff: HTTP API' },
      uiHooks: {
        // The plugin would write both anew for each request.
        async preHandler(request, reply) {
          const answer = { [`${DOCS_PATH}/json`]: json, [`${DOCS_PATH}/yaml`]: yaml }[request.routeOptions.url ?? ''];
          if (answer) return sendFixedAnswer(request, reply, await answer());
        },
      },
    });
  });
}
