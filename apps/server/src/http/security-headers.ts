import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';

export interface SecurityHeadersOptions {
  /** Origins that the page calls besides its own. */
  readonly connectOrigins: readonly string[];
  /** Origin of the API if it is not the page's; images come from there. */
  readonly apiOrigin: string | null;
  /** Whether people reach the server only by https. */
  readonly https: boolean;
  /** Whether the page may run WebAssembly, for recognition in the browser. */
  readonly webAssembly: boolean;
}

/** Device features that our pages use: for recording, the recording's place, and a screen that stays on meanwhile. */
const usedFeatures = ['microphone', 'geolocation', 'screen-wake-lock'];
/**
 * All other features that need people's permission or reach beyond the page. Only names that Chromium knows on every system, because it
 * logs a warning for others. Playback, the clipboard and sharing a result (`web-share`, unknown on Linux) keep their defaults: only for our
 * own pages, and after a user gesture.
 */
const unusedFeatures =
  'accelerometer browsing-topics camera compute-pressure display-capture encrypted-media gyroscope hid identity-credentials-get idle-detection local-fonts magnetometer midi otp-credentials payment publickey-credentials-create publickey-credentials-get serial storage-access usb window-management xr-spatial-tracking'.split(
    ' ',
  );
const permissionsPolicy = [
  ...usedFeatures.map((feature) => `${feature}=(self)`),
  ...unusedFeatures.map((feature) => `${feature}=()`),
].join(', ');

/** Sets Content-Security-Policy and related headers, for a page that calls only its own deployment. */
export function addSecurityHeaders(
  app: FastifyInstance,
  { connectOrigins, apiOrigin, https, webAssembly }: SecurityHeadersOptions,
): void {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'self'"],
        // `blob:` is for recordings and pictures that the page itself creates.
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
        // The component library inserts style elements.
        styleSrc: ["'self'", "'unsafe-inline'"],
        workerSrc: ["'self'"],
        // No upgradeInsecureRequests: plain http in a home network must work.
      },
    },
    // Only where https is certain: elsewhere it could lock people out of servers in their own network.
    strictTransportSecurity: https,
    // Browsers log a warning for it on plain http.
    originAgentCluster: https,
    crossOriginOpenerPolicy: https ? { policy: 'same-origin' } : false,
    xFrameOptions: { action: 'deny' },
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('permissions-policy', permissionsPolicy);
    setHeaders(request.raw, reply.raw, (error) => done(error as Error | undefined));
  });
}
