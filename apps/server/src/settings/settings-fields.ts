import { createHash } from 'node:crypto';
import { type OperatorSettings, operatorSettingsSchema, type PublicTerms } from '@chiffchaff/contract';
import type { Config } from '../config.ts';
import { variables } from '../config-variables.ts';
import type { FieldFault } from '../http/http-problem.ts';
import { termsVariables } from '../terms-variables.ts';

/** The settings from the environment; null for those it does not set. */
export type EnvironmentSettings = Pick<Config, 'terms' | 'defaultPlace' | 'defaultLanguage' | 'speciesPictures'>;

export type Blank = keyof PublicTerms;
export type OtherField = Exclude<keyof OperatorSettings, 'terms'>;

export const blanks = Object.keys(operatorSettingsSchema.shape.terms.shape) as readonly Blank[];

/** The variable of each field, except the blanks of the terms. */
const variableOf: Readonly<Record<OtherField, string>> = {
  defaultPlace: variables.defaultPlaceName.name,
  defaultLanguage: variables.defaultLanguage.name,
  speciesPictures: variables.speciesPictures.name,
};
export const otherFields = Object.keys(variableOf) as readonly OtherField[];

/** The fields that the environment sets, each with its variable. Nothing else can change them. */
export function fixedFields(environment: EnvironmentSettings): Readonly<Partial<Record<Blank | OtherField, string>>> {
  const fixed = [
    ...blanks.filter((blank) => environment.terms[blank] !== null).map((blank) => [blank, termsVariables[blank].name]),
    ...otherFields.filter((field) => environment[field] !== null).map((field) => [field, variableOf[field]]),
  ];
  return Object.fromEntries(fixed);
}

/** Fingerprint of the blanks of the terms that the environment fills in; empty if it fills in none. */
export function termsFingerprint({ terms }: Pick<EnvironmentSettings, 'terms'>): string {
  const filled = blanks.filter((blank) => terms[blank] !== null).map((blank) => [blank, terms[blank]]);
  return filled.length === 0 ? '' : createHash('sha256').update(JSON.stringify(filled)).digest('hex').slice(0, 8);
}

/** Whether pictures of birds are shown. Wikimedia asks for a way to reach the operator, so it is not used without one. */
export const showsPictures = ({ speciesPictures, terms }: OperatorSettings): boolean =>
  speciesPictures === 'wikimedia' && terms.contactEmail !== null;

/** Trims the texts of the terms; an empty text becomes null. */
export function tidySettings({ terms, ...others }: OperatorSettings): OperatorSettings {
  return { ...others, terms: Object.fromEntries(blanks.map((blank) => [blank, terms[blank]?.trim() || null])) as PublicTerms };
}

/** Fields that are not valid, by the rules of the variables. */
export function findSettingFaults({ terms, defaultPlace }: OperatorSettings): FieldFault[] {
  const faults: FieldFault[] = blanks.flatMap((blank) => {
    const { schema, rule } = termsVariables[blank];
    const value = terms[blank];
    return value === null || schema.safeParse(value).success ? [] : [{ field: blank, message: `must be ${rule}` }];
  });
  const { schema, rule } = variables.defaultPlaceName;
  if (defaultPlace !== null && !schema.safeParse(defaultPlace.name).success)
    faults.push({ field: 'defaultPlace', message: `must have a name of ${rule}` });
  return faults;
}
