import { termsVariables } from '../terms-variables.ts';

/** An environment in which the terms have no blanks: the examples of the documentation. */
export const exampleTerms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(termsVariables).map(({ name, example }) => [name, example]),
);
