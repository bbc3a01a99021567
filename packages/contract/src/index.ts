/** What the HTTP API promises, once: schemas, problem catalogue, and the tables that server, page and command line all offer. */
export * from './places.ts';
export * from './prediction.ts';
export * from './prediction-fields.ts';
export * from './problem-body.ts';
export * from './problems.ts';
export * from './public-config.ts';
