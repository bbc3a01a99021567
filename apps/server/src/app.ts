import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { guardAccess, requireDeclaredAccess } from './http/access.ts';
import { describeApi, serveApiDocs } from './http/api-docs.ts';
import { answerClientError } from './http/client-error.ts';
import { endConnectionsWhenClosing } from './http/closing.ts';
import { allowOrigins } from './http/cross-origin.ts';
import { endWhenSignedOut } from './http/end-signed-out.ts';
import { answerError } from './http/error-handler.ts';
import { limitBodyTime } from './http/limits/body-time.ts';
import { endSilentConnections, limitConnections } from './http/limits/connections.ts';
import { createExportsUnderWay } from './http/limits/exports-under-way.ts';
import { createFairLimiter } from './http/limits/fair-limiter.ts';
import { limitRequests } from './http/limits/request-limit.ts';
import { drainUnreadBodies } from './http/limits/unread-body.ts';
import { createPageAnswer, hasPage, servePageFiles } from './http/page-files.ts';
import { createRequestId, logRequests } from './http/request-log.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { answerUnknownRoutes } from './http/unknown-route.ts';
import { accountRoutes } from './identity/routes/account-routes.ts';
import { identityRoutes } from './identity/routes/identity-routes.ts';
import { confidenceEvidenceRoute } from './model/evidence-route.ts';
import { onDeviceRoutes } from './model/on-device-routes.ts';
import { healthRoutes } from './operation/health-routes.ts';
import { countRequests, metricsRoute } from './operation/metrics-route.ts';
import { publicConfigRoute } from './operation/public-config-route.ts';
import type { Parts } from './parts/open-parts.ts';
import { placesRoutes } from './places/places-route.ts';
import { audioRoutes } from './prediction/audio/audio-routes.ts';
import { eventRoute } from './prediction/event-route.ts';
import { predictionRoutes } from './prediction/prediction-routes.ts';
import { createRequesters } from './prediction/requester.ts';
import { uploadRoutes } from './prediction/resumable/upload-routes.ts';
import { linkRoutes } from './prediction/sharing/link-routes.ts';
import { sharedRoutes } from './prediction/sharing/shared-routes.ts';
import { speciesSearchRoute } from './prediction/species-search-route.ts';
import { conditionsRoutes } from './prediction/stored/conditions-routes.ts';
import { exportAllRoutes } from './prediction/stored/export-all-routes.ts';
import { lifeListRoutes } from './prediction/stored/life-list-routes.ts';
import { reviewRoutes } from './prediction/stored/review-routes.ts';
import { storedRoutes } from './prediction/stored/stored-routes.ts';
import { setupRoutes } from './settings/setup-routes.ts';
import { statusOfPage } from './species/bird-page.ts';
import { pictureRoutes } from './species/pictures/picture-routes.ts';
import { speciesRoutes } from './species/species-routes.ts';

/** Bodies other than recordings are small. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Builds the whole server without listening. Nothing in this file reads the environment, opens a port or loads a model.
 *
 * @param parts with `stopping`, which aborts when the server can no longer wait for work in progress
 */
export async function buildApp(parts: Parts & { readonly stopping: AbortSignal }): Promise<FastifyInstance> {
  const { config, limits, pageFolder, log, modelLoader, predictions, resumable, metrics } = parts;
  const { service, embedded, publicIdentity, connectOrigins } = parts.identity;
  const runsOnDevices = config.onDeviceModel === 'on';
  const app = fastify({
    loggerInstance: log,
    // We log one line per request ourselves: the framework's contains the query.
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
    http: endSilentConnections(limits.connections),
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);

  limitConnections(app, config.trustProxy, limits.connections);
  endConnectionsWhenClosing(app, () => predictions.beginClosing());
  logRequests(app);
  countRequests(app, metrics);
  drainUnreadBodies(app, limits.drain);
  limitBodyTime(app, limits.bodyMs);
  addSecurityHeaders(app, {
    connectOrigins: [...(config.apiOrigin === null ? [] : [config.apiOrigin]), ...connectOrigins],
    apiOrigin: config.apiOrigin,
    https: config.publicUrl?.startsWith('https:') ?? false,
    webAssembly: runsOnDevices,
  });
  requireDeclaredAccess(app);
  // Before any refusal, so that a page of another origin can read it.
  await allowOrigins(app, config.allowedOrigins);
  limitRequests(app, config.requestsPerClient, parts.createLimiter);
  guardAccess(app, service.authenticate);
  const requesters = createRequesters(service, { isOpen: config.openPrediction, ticketKey: parts.ticketKey });
  const whenSignedOut = endWhenSignedOut(app, {
    signedInOf: (request) => service.principalOf(request) ?? requesters.byTicket(request),
    isStillSignedIn: service.isStillSignedIn,
    listen: service.signOuts.listen,
  });
  await describeApi(app);

  const page = hasPage(pageFolder) ? createPageAnswer(pageFolder) : null;
  const showPage = page?.answerNavigation ?? (async () => false);
  answerUnknownRoutes(app, async (request, reply) => showPage(request, reply, await statusOfPage(request, modelLoader)));

  // A school class looks up the same bird at once.
  const occurrenceLimiter = createFairLimiter({ atOnce: 2, mostEach: 32, most: 256 });
  const wrongSecrets = parts.createLimiter('wrongSecrets', config.wrongSecretPerClient);
  const common = {
    ...parts,
    modelId: config.modelId,
    requesters,
    occurrenceLimiter,
    wrongSecrets,
    exports: createExportsUnderWay(),
    sendPage: page?.send ?? null,
  };
  const ofUpload = { maxBytes: config.maxUploadBytes, pace: limits.uploadPace };
  const { incoming, closing } = predictions;
  const mail = embedded === null ? 'external' : parts.mailer === null ? 'notConfigured' : 'configured';
  await app.register(healthRoutes, { ...common, minFreeDiskBytes: config.minFreeDiskBytes });
  await app.register(metricsRoute, { ...common, token: parts.secrets.metricsToken });
  await app.register(publicConfigRoute, { ...common, identity: publicIdentity });
  await app.register(setupRoutes, { ...common, codes: parts.setupCodes, mail });
  await app.register(confidenceEvidenceRoute, common);
  if (runsOnDevices) await app.register(onDeviceRoutes, common);
  await app.register(placesRoutes, common);
  await app.register(uploadRoutes, { ...common, uploads: resumable, limits: ofUpload, incoming, closing, whenSignedOut });
  await app.register(predictionRoutes, { ...common, limits: ofUpload, access: config.openPrediction ? 'public' : 'signedIn' });
  await app.register(speciesSearchRoute, common);
  await app.register(speciesRoutes, common);
  await app.register(pictureRoutes, common);
  await app.register(lifeListRoutes, common);
  await app.register(storedRoutes, common);
  await app.register(conditionsRoutes, common);
  await app.register(reviewRoutes, common);
  await app.register(exportAllRoutes, common);
  await app.register(audioRoutes, common);
  await app.register(linkRoutes, common);
  await app.register(sharedRoutes, common);
  await app.register(eventRoute, { ...common, heartbeatMs: limits.heartbeatMs });
  await app.register(accountRoutes, { ...common, identity: service });
  if (embedded !== null) {
    await app.register(async (scope) => {
      // Identity routes answer every origin, and handle preflights themselves.
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, cors: false };
      });
      await scope.register(identityRoutes, { identity: embedded, wrongSecrets, allowedOrigins: config.allowedOrigins });
    });
  }
  serveApiDocs(app);
  if (page !== null) await servePageFiles(app, pageFolder);

  return app;
}

function trustedProxies(trust: Parts['config']['trustProxy']): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  return typeof trust === 'boolean' ? trust : [...trust];
}
