/** From what a model heard to the answer in words. Runs anywhere: what has to be read or fetched is handed in. */
export { type Answerer, createAnswerer } from './answerer.ts';
export { type FormattedAnswer, formatEarlyDetections } from './format-answer.ts';
export { createSpeciesNames, DEFAULT_LANGUAGE, type SpeciesNames } from './name-labels.ts';
export * from './question.ts';
