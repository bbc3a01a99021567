/** The model behind thresholds, for callers that need more than a table of them. */
export { fitPosterior, inputOf, type LabelledScore, learnPrior, type Posterior } from './posterior.ts';
export { findThreshold, isKnown, type Threshold } from './threshold.ts';
