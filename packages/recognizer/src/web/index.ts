/** ONNX Runtime Web: the model's files, and a worker that runs it in a browser. */
export { obtainModelFile, sha256Of } from './obtain-model-file.ts';
export { createWebRunner, runtimeUrl, type WebRunner, type WebRunnerOptions } from './web-runner.ts';
