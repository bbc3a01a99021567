import { identityErrorBodySchema } from '@chiffchaff/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Client } from '../accounts/sign-in.ts';

/** The two hosts of Google's, as the SDK names them in the path when it is pointed at another server. */
export const IDENTITY_PREFIX = '/identitytoolkit.googleapis.com';
export const TOKEN_PREFIX = '/securetoken.googleapis.com';

/** Bodies of these methods are a few fields; the longest is a picture's address. */
const MAX_BODY_BYTES = 64 * 1024;

const keyQuerySchema = z.object({ key: z.string().optional().describe('API key of the project') });

interface Method<Body extends z.ZodType, Answer> {
  /** as Google's reference writes it, with its colon */
  readonly path: string;
  readonly prefix: string;
  readonly verb: 'GET' | 'POST';
  readonly summary: string;
  readonly tag: string;
  readonly body?: Body;
  readonly params?: z.ZodType;
  readonly querystring?: z.ZodType;
  readonly answer: z.ZodType<Answer>;
  /** one that the SDK calls when a page loads */
  readonly signsOutOnJsonError?: boolean;
  readonly handle: (body: z.output<Body>, request: FastifyRequest, reply: FastifyReply) => Promise<z.input<Answer>>;
}

/** What a method needs besides its own fields. */
export type ServeMethod = <Body extends z.ZodType, Answer>(method: Method<Body, Answer>) => void;

/** fastify's router takes `:name` for a parameter unless the colon is doubled; a parameter is written `{name}` here. */
export const routePath = (path: string): string => path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');

/**
 * Serves methods under their plain path and under the prefixed one, with one handler each.
 *
 * @param urls takes in every path served, for preflights
 */
export function createMethodServer(app: FastifyInstance, urls: Set<string>): ServeMethod {
  return <Body extends z.ZodType, Answer>({
    path,
    prefix,
    verb,
    summary,
    tag,
    body,
    params,
    querystring,
    answer,
    signsOutOnJsonError = false,
    handle,
  }: Method<Body, Answer>) => {
    for (const url of [routePath(path), routePath(prefix + path)]) {
      const isPrefixed = url !== routePath(path);
      const schema: FastifySchema = {
        ...{ summary, tags: [tag], hide: isPrefixed },
        description: `Also under \`${prefix}${path}\`, where the Firebase SDK looks for it.`,
        ...(body === undefined ? {} : { body }),
        ...(params === undefined ? {} : { params }),
        querystring: querystring ?? keyQuerySchema,
        response: { 200: answer, '4xx': identityErrorBodySchema },
      };
      app.route({
        method: verb,
        url,
        schema,
        bodyLimit: MAX_BODY_BYTES,
        config: { access: 'public', signsOutOnJsonError },
        handler: async (request, reply) => {
          reply.header('cache-control', 'no-store');
          // The validator has read the body by this very schema.
          return handle(request.body as z.output<Body>, request, reply);
        },
      });
      urls.add(url);
    }
  };
}

/** The client of a request; a proxy's word about its address counts only where the server trusts the proxy. */
export const clientOf = ({ ip, headers }: FastifyRequest): Client => ({ address: ip, userAgent: headers['user-agent'] ?? null });

/** `X-Firebase-Locale` */
export function localeOf({ headers }: FastifyRequest): string | undefined {
  const locale = headers['x-firebase-locale'];
  return typeof locale === 'string' ? locale : undefined;
}

type Present<Body> = { [Field in keyof Body]: Exclude<Body[Field], null> };

/** Identity Toolkit takes `null` for absent. */
export function withoutNulls<Body extends object>(body: Body): Present<Body> {
  // What is left of each field is its type without null.
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as Present<Body>;
}
