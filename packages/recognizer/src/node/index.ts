/** ONNX Runtime for Node: a model folder, and a pool of workers that run it. */
export * from './model-folder.ts';
export { openWorkerPool, type WorkerPool } from './worker-pool.ts';
