import fastify, { type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { answerError } from './http/error-handler.ts';
import { answerUnknownRoutes } from './http/unknown-route.ts';
import { healthRoutes } from './operation/health-routes.ts';
import { metricsRoute } from './operation/metrics-route.ts';
import type { Parts } from './parts/open-parts.ts';

/** Builds the HTTP server of a worker, without listening: whether it is alive, whether it can work, and its metrics. */
export async function buildWorkerApp(parts: Parts): Promise<FastifyInstance> {
  const { modelLoader, config, database, dataDir, log, metrics, predictions, secrets } = parts;
  const app = fastify({ loggerInstance: log, logController: new LogController({ disableRequestLogging: true }) });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  // Takes no more jobs, and hands back those in progress.
  app.addHook('preClose', async () => predictions.beginClosing());
  answerUnknownRoutes(app, async () => false);
  await app.register(healthRoutes, { ...config, modelLoader, dataDir, database, storage: parts.storage });
  const wrongSecrets = parts.createLimiter('wrongSecrets', config.wrongSecretPerClient);
  await app.register(metricsRoute, { metrics, token: secrets.metricsToken, wrongSecrets });
  return app;
}
