/** From evidence to the worded answer. Runs on any platform: callers pass in whatever has to be read or fetched. */
export { createAnswerer } from './answerer.ts';
export { formatEarlyDetections } from './format-answer.ts';
export { createSpeciesNames, DEFAULT_LANGUAGE } from './name-labels.ts';
export * from './prediction-of.ts';
export * from './question.ts';
