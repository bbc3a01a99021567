import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

export interface SecurityHeadersOptions {
  /** Origins besides its own that the page calls. */
  readonly connectOrigins: readonly string[];
  /** The API's where it is not its own: images come from there. */
  readonly apiOrigin: string | null;
  /** People reach the server by https only. */
  readonly https: boolean;
  /** The page may run WebAssembly: the recogniser in the browser. */
  readonly webAssembly: boolean;
}

/** What pages of ours use of a device: recording, the place of a recording, a screen that stays on meanwhile. */
const usedFeatures = ['microphone', 'geolocation', 'screen-wake-lock'];
/**
 * Everything else that browsers ask people about or that reaches beyond the page. Only what Chromium knows on every system is named, or
 * its console complains. Playing sound, the clipboard and passing an answer on (`web-share`, unknown on Linux) stay as they are by default:
 * for our own pages, and by a gesture.
 */
const unusedFeatures =
  'accelerometer browsing-topics camera compute-pressure display-capture encrypted-media gyroscope hid identity-credentials-get idle-detection local-fonts magnetometer midi otp-credentials payment publickey-credentials-create publickey-credentials-get serial speaker-selection storage-access usb window-management xr-spatial-tracking'.split(
    ' ',
  );
const permissionsPolicy = [
  ...usedFeatures.map((feature) => `${feature}=(self)`),
  ...unusedFeatures.map((feature) => `${feature}=()`),
].join(', ');

/** Content-Security-Policy and its relatives, for a page that asks only its own deployment. */
export async function addSecurityHeaders(
  app: FastifyInstance,
  { connectOrigins, apiOrigin, https, webAssembly }: SecurityHeadersOptions,
): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'self'"],
        // The page plays recordings and draws pictures that it has made itself.
        connectSrc: ["'self'", 'blob:', ...connectOrigins],
        fontSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", 'data:', 'blob:', ...(apiOrigin === null ? [] : [apiOrigin])],
        manifestSrc: ["'self'"],
        mediaSrc: ["'self'", 'blob:', ...connectOrigins],
        objectSrc: ["'none'"],
        scriptSrc: ["'self'", ...(webAssembly ? ["'wasm-unsafe-eval'"] : [])],
        scriptSrcAttr: ["'none'"],
        // The component kit writes style elements.
        styleSrc: ["'self'", "'unsafe-inline'"],
        workerSrc: ["'self'"],
        // No upgradeInsecureRequests: plain http in a home network must work.
      },
    },
    // Only meant where https is certain; elsewhere it could lock people out of their own network.
    strictTransportSecurity: https,
    // Browsers complain about it on plain http.
    originAgentCluster: https,
    crossOriginOpenerPolicy: https ? { policy: 'same-origin' } : false,
    xFrameOptions: { action: 'deny' },
  });
  app.addHook('onRequest', async (_request, reply) => void reply.header('permissions-policy', permissionsPolicy));
}
