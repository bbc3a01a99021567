/** The model behind thresholds, for callers that need more than a table of them. */
export { fitPosterior, inputOf, type LabelledScore, learnPrior } from './posterior.ts';
export { findThreshold, type Threshold } from './threshold.ts';
