/** From a recording file to a prediction: identifies the container, decodes in a limited child process, listens, words the answer. */
export * from './errors.ts';
export type * from './listener.ts';
