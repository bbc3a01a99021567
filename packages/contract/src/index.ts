/** What the HTTP API promises, once: schemas, problem catalogue, and the tables that server, page and command line all offer. */

export * from './accepted-formats.ts';
export * from './check-up-sentences.ts';
export * from './confidence-evidence.ts';
export * from './hidden-characters.ts';
export * from './identity/account-bodies.ts';
export * from './identity/identity-bodies.ts';
export * from './identity/identity-codes.ts';
export * from './keep-audio.ts';
export * from './named-birds.ts';
export * from './places.ts';
export * from './prediction.ts';
export * from './prediction-fields.ts';
export * from './problem-body.ts';
export * from './problems.ts';
export * from './public-config.ts';
export * from './sentences.ts';
export * from './stored-predictions.ts';
export * from './tables/audacity.ts';
export * from './tables/csv.ts';
export * from './tables/raven.ts';
export { isHidden, listedPrediction, onOneLine, type TableOptions, type Tabulated } from './tables/tabulated.ts';
