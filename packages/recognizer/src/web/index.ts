/** LiteRT.js: the model's files, and a worker that runs it in a browser. */
export { runtimeUrl } from './litert-build.ts';
export { obtainModelFile, sha256Of } from './obtain-model-file.ts';
export { createWebRunner, type WebRunner, type WebRunnerOptions } from './web-runner.ts';
