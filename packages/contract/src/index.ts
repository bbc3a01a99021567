/**
 * The single definition of what the HTTP API promises: schemas, problem catalogue, and the tables that server, page and command line all
 * offer.
 */

export * from './accepted-formats.ts';
export * from './bird-reviews.ts';
export * from './check-up-sentences.ts';
export * from './confidence-evidence.ts';
export * from './hidden-characters.ts';
export * from './identity/account-bodies.ts';
export * from './identity/api-tokens.ts';
export * from './identity/identity-bodies.ts';
export * from './identity/identity-codes.ts';
export * from './keep-audio.ts';
export * from './life-list.ts';
export * from './links.ts';
export * from './missing-terms.ts';
export * from './named-birds.ts';
export * from './on-device-model.ts';
export * from './overview.ts';
export * from './places.ts';
export * from './prediction.ts';
export * from './prediction-fields.ts';
export * from './problem-body.ts';
export * from './problems.ts';
export * from './public-config.ts';
export * from './regions.ts';
export * from './review.ts';
export * from './sentences.ts';
export * from './setup.ts';
export * from './species.ts';
export * from './stored-predictions.ts';
export * from './tables/audacity.ts';
export * from './tables/csv.ts';
export * from './tables/raven.ts';
export * from './tables/tabulated.ts';
