/** What the HTTP API promises, once: schemas, problem catalogue, and the tables that server, page and command line all offer. */
export * from './prediction.ts';
export * from './problems.ts';
