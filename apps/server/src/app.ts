import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController, type RouteOptions } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Config } from './config.ts';
import { guardAccess } from './http/access.ts';
import { describeApi, serveApiDocs } from './http/api-docs.ts';
import { answerClientError } from './http/client-error.ts';
import { endConnectionsWhenClosing } from './http/closing.ts';
import { allowOrigins } from './http/cross-origin.ts';
import { answerError } from './http/error-handler.ts';
import { createRequestId, logRequests } from './http/request-log.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { answerUnknownRoutes } from './http/unknown-route.ts';
import { type DrainLimits, drainLimits, drainUnreadBodies } from './http/unread-body.ts';
import { accountRoutes } from './identity/routes/account-routes.ts';
import { identityRoutes } from './identity/routes/identity-routes.ts';
import type { OpenedIdentity } from './open-identity.ts';
import { healthRoutes } from './operation/health-routes.ts';
import type { Metrics } from './operation/metrics.ts';
import { countRequests, metricsRoute } from './operation/metrics-route.ts';
import { publicConfigRoute } from './operation/public-config-route.ts';
import { answerWithPage, hasPage, servePageFiles } from './pages/page-files.ts';
import type { PlaceIndex } from './places/place-index.ts';
import { placesRoute } from './places/places-route.ts';
import type { ListenerSource } from './prediction/listener-source.ts';
import type { PredictionQueue } from './prediction/prediction-queue.ts';
import type { UploadLimits } from './prediction/receive-upload.ts';
import { predictionRoutes } from './prediction/routes.ts';
import type { UploadFolder } from './prediction/upload-folder.ts';

/** Everything the server works with. Nothing below reads the environment, opens a port or loads a model. */
export interface AppDependencies {
  readonly config: Config;
  readonly version: string;
  /** The data folder, as an absolute path. */
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly listeners: ListenerSource;
  readonly queue: PredictionQueue;
  readonly uploads: UploadFolder;
  readonly places: PlaceIndex;
  readonly identity: OpenedIdentity;
  readonly metrics: Metrics;
  readonly metricsToken: string | null;
  /** Folder of the built page; without one only the API is served. */
  readonly pageFolder: string;
  /** Aborts when work in flight cannot be waited for any longer. */
  readonly stopping: AbortSignal;
  readonly uploadPace: UploadLimits['pace'];
  readonly drain?: DrainLimits;
  /** Told of every route there is. */
  readonly onRoute?: (route: RouteOptions) => void;
}

/** Bodies that are no recordings are small. */
const MAX_BODY_BYTES = 64 * 1024;

/** Builds the whole server, not listening. */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, log, listeners, queue, uploads, pageFolder, version } = dependencies;
  const { service, embedded, publicIdentity, connectOrigins } = dependencies.identity;
  const app = fastify({
    loggerInstance: log,
    // One line a request is written by ourselves: the framework's has the query in it.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(config.trustProxy),
    requestIdHeader: false,
    genReqId: createRequestId(config.trustProxy !== false) satisfies (request: IncomingMessage) => string,
    bodyLimit: MAX_BODY_BYTES,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);

  if (dependencies.onRoute) app.addHook('onRoute', dependencies.onRoute);
  endConnectionsWhenClosing(app, () => queue.close());
  logRequests(app);
  countRequests(app, dependencies.metrics);
  drainUnreadBodies(app, dependencies.drain ?? drainLimits);
  await addSecurityHeaders(app, {
    connectOrigins: [...(config.apiOrigin === null ? [] : [config.apiOrigin]), ...connectOrigins],
    https: config.publicUrl?.startsWith('https:') ?? false,
  });
  guardAccess(app, service.authenticate);
  await allowOrigins(app, config.allowedOrigins);
  await describeApi(app, version);

  const page = hasPage(pageFolder);
  answerUnknownRoutes(app, async (request, reply) => (page ? answerWithPage(request, reply, pageFolder) : null));

  await app.register(healthRoutes, { listeners, dataDir: dependencies.dataDir });
  await app.register(metricsRoute, { metrics: dependencies.metrics, token: dependencies.metricsToken });
  await app.register(publicConfigRoute, { config, version, listeners, identity: publicIdentity });
  await app.register(placesRoute, { places: dependencies.places });
  await app.register(predictionRoutes, {
    listeners,
    queue,
    uploads,
    limits: { maxBytes: config.maxUploadBytes, pace: dependencies.uploadPace },
    access: config.openPrediction ? 'public' : 'signedIn',
    stopping: dependencies.stopping,
  });
  await app.register(accountRoutes, { identity: service });
  if (embedded !== null) {
    await app.register(async (scope) => {
      // Identity answers every origin, and its own preflights.
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, cors: false };
      });
      await scope.register(identityRoutes, { identity: embedded });
    });
  }
  await serveApiDocs(app);
  if (page) await servePageFiles(app, pageFolder);

  return app;
}

function trustedProxies(trust: Config['trustProxy']): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  return typeof trust === 'boolean' ? trust : [...trust];
}
