import { termsVariables } from '../terms-variables.ts';

/** An environment that fills all blanks of the terms with the examples of the documentation. */
export const exampleTerms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(termsVariables).map(({ name, example }) => [name, example]),
);
