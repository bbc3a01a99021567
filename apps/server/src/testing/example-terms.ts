import { publicTermsSchema } from '@chiffchaff/contract';
import { operatorSettings } from '../settings/operator-settings.ts';

/** Settings that fill all blanks of the terms with the examples of the documentation. */
export const exampleTerms: Readonly<Record<string, string>> = Object.fromEntries(
  publicTermsSchema.keyof().options.map((blank) => [blank, operatorSettings[blank].example]),
);
