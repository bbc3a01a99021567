/** From evidence to the worded answer. Runs on any platform: callers pass in whatever has to be read or fetched. */
export { type Answerer, createAnswerer } from './answerer.ts';
export { type FormattedAnswer, formatEarlyDetections } from './format-answer.ts';
export { createSpeciesNames, DEFAULT_LANGUAGE, type SpeciesNames } from './name-labels.ts';
export * from './prediction-of.ts';
export * from './question.ts';
