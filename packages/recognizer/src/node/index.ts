/** ONNX Runtime for Node: a model folder, and a pool of workers that run it. */
export { lowerThreadPriority } from './lower-thread-priority.ts';
export * from './model-folder.ts';
export { openWorkerPool, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';
