/** LiteRT.js: the model's files, and a worker that runs it in a browser. */
export { runtimeUrl } from './litert-build.ts';
export { sha256Of } from './sha256.ts';
export { createWebRunner, type WebRunner } from './web-runner.ts';
