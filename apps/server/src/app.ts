import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController, type RouteOptions } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Config, Secrets } from './config.ts';
import type { Database } from './database/open-database.ts';
import { guardAccess, requireDeclaredAccess } from './http/access.ts';
import { describeApi, serveApiDocs } from './http/api-docs.ts';
import { answerClientError } from './http/client-error.ts';
import { endConnectionsWhenClosing } from './http/closing.ts';
import { allowOrigins } from './http/cross-origin.ts';
import { endWhenSignedOut } from './http/end-signed-out.ts';
import { answerError } from './http/error-handler.ts';
import { limitBodyTime } from './http/limits/body-time.ts';
import { type ConnectionLimits, connectionLimits, endSilentConnections, limitConnections } from './http/limits/connections.ts';
import { limitRequests } from './http/limits/request-limit.ts';
import { type DrainLimits, drainLimits, drainUnreadBodies } from './http/limits/unread-body.ts';
import { createWrongSecrets } from './http/limits/wrong-secrets.ts';
import { createRequestId, logRequests } from './http/request-log.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { answerUnknownRoutes } from './http/unknown-route.ts';
import { accountRoutes } from './identity/routes/account-routes.ts';
import { identityRoutes } from './identity/routes/identity-routes.ts';
import { evidenceRoute } from './model/evidence-route.ts';
import type { OpenedIdentity } from './open-identity.ts';
import { healthRoutes } from './operation/health-routes.ts';
import type { Metrics } from './operation/metrics.ts';
import { countRequests, metricsRoute } from './operation/metrics-route.ts';
import { publicConfigRoute } from './operation/public-config-route.ts';
import { createPageAnswer, hasPage, servePageFiles } from './pages/page-files.ts';
import type { PlaceIndex } from './places/place-index.ts';
import { placesRoute } from './places/places-route.ts';
import type { AnalyzerSource } from './prediction/analyzer-source.ts';
import type { AudioRetention } from './prediction/audio/audio-retention.ts';
import { audioRoutes } from './prediction/audio/audio-routes.ts';
import { eventRoute } from './prediction/event-route.ts';
import { type ArrivalPace, arrivalPace } from './prediction/incoming/arrival-pace.ts';
import { predictionRoutes } from './prediction/prediction-routes.ts';
import type { Predictions } from './prediction/predictions.ts';
import { createRequesters } from './prediction/requester.ts';
import type { ResumableUploads } from './prediction/resumable/resumable-uploads.ts';
import { uploadRoutes } from './prediction/resumable/upload-routes.ts';
import { exportAllRoutes } from './prediction/stored/export-all-routes.ts';
import { storedRoutes } from './prediction/stored/stored-routes.ts';

/** What the routes need. Nothing below reads the environment, opens a port or loads a model. */
export interface AppParts {
  readonly config: Config;
  readonly secrets: Pick<Secrets, 'metricsToken'>;
  readonly version: string;
  /** The data folder, as an absolute path. */
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly analyzers: AnalyzerSource;
  readonly predictions: Predictions;
  readonly sounds: AudioRetention;
  readonly resumable: ResumableUploads;
  readonly places: PlaceIndex;
  readonly identity: OpenedIdentity;
  readonly database: Pick<Database, 'findFault'>;
  readonly metrics: Metrics;
  /** Aborts when work in flight cannot be waited for any longer. */
  readonly stopping: AbortSignal;
}

/** Limits, and what a test looks at. */
export interface AppOverrides {
  /** Folder of the built page; without one only the API is served. */
  readonly pageFolder?: string;
  readonly uploadPace?: ArrivalPace;
  readonly drain?: DrainLimits;
  readonly connections?: ConnectionLimits;
  /** how long a body that is no recording may take */
  readonly bodyMs?: number;
  /** between signs of life in a stream of events */
  readonly heartbeatMs?: number;
  /** Why the database would not take a write now, or null. */
  readonly findStorageFault?: Database['findFault'];
  /** Told of every route there is. */
  readonly onRoute?: (route: RouteOptions) => void;
}

/** Bodies that are no recordings are small. */
const MAX_BODY_BYTES = 64 * 1024;

/** Builds the whole server, not listening. */
export async function buildApp(parts: AppParts, overrides: AppOverrides): Promise<FastifyInstance> {
  const { config, version, dataDir, log, analyzers, predictions, sounds, resumable, metrics } = parts;
  const { service, embedded, publicIdentity, connectOrigins } = parts.identity;
  const { pageFolder = '', uploadPace = arrivalPace, drain = drainLimits, connections = connectionLimits } = overrides;
  const { findStorageFault = parts.database.findFault } = overrides;
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
    http: endSilentConnections(connections),
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);

  if (overrides.onRoute) app.addHook('onRoute', overrides.onRoute);
  limitConnections(app, config.trustProxy, connections);
  endConnectionsWhenClosing(app, () => predictions.beginClosing());
  logRequests(app);
  countRequests(app, metrics);
  drainUnreadBodies(app, drain);
  limitBodyTime(app, overrides.bodyMs);
  await addSecurityHeaders(app, {
    connectOrigins: [...(config.apiOrigin === null ? [] : [config.apiOrigin]), ...connectOrigins],
    https: config.publicUrl?.startsWith('https:') ?? false,
  });
  requireDeclaredAccess(app);
  // Before anybody is refused, so that a page of another origin can read the refusal.
  await allowOrigins(app, config.allowedOrigins);
  limitRequests(app, config.requestsPerClient);
  guardAccess(app, service.authenticate);
  const requesters = createRequesters(service, config.openPrediction);
  endWhenSignedOut(app, {
    signedInOf: (request) => service.principalOf(request) ?? requesters.byTicket(request),
    isStillSignedIn: service.isStillSignedIn,
    listen: service.signOuts.listen,
  });
  await describeApi(app, version);

  const page = hasPage(pageFolder);
  answerUnknownRoutes(app, page ? createPageAnswer(pageFolder) : async () => false);

  await app.register(healthRoutes, { analyzers, dataDir, findStorageFault });
  const wrongSecrets = createWrongSecrets(config.wrongSecretPerClient);
  await app.register(metricsRoute, { metrics, token: parts.secrets.metricsToken, wrongSecrets });
  await app.register(publicConfigRoute, { config, version, analyzers, identity: publicIdentity });
  await app.register(evidenceRoute, { dataDir, modelId: config.modelId });
  await app.register(placesRoute, { places: parts.places });
  const limits = { maxBytes: config.maxUploadBytes, pace: uploadPace };
  const { incoming, closing } = predictions;
  await app.register(uploadRoutes, { uploads: resumable, requesters, limits, incoming, closing });
  await app.register(predictionRoutes, {
    analyzers,
    predictions,
    requesters,
    limits,
    resumable,
    access: config.openPrediction ? 'public' : 'signedIn',
    stopping: parts.stopping,
  });
  await app.register(storedRoutes, { analyzers, predictions, requesters });
  await app.register(exportAllRoutes, { predictions, requesters });
  await app.register(audioRoutes, { sounds, predictions, requesters });
  await app.register(eventRoute, { predictions, requesters, heartbeatMs: overrides.heartbeatMs });
  await app.register(accountRoutes, { identity: service });
  if (embedded !== null) {
    await app.register(async (scope) => {
      // Identity answers every origin, and its own preflights.
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, cors: false };
      });
      await scope.register(identityRoutes, { identity: embedded, wrongSecrets });
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
