import { useTranslation } from 'react-i18next';
import { toApiError } from './api-error.ts';
import { errorSentence } from './error-sentence.ts';

/** @returns a function that says why a call failed, given what it threw; null if it did not fail */
export function useFailureSentence(): (error: Error | null) => string | null {
  const { t, i18n } = useTranslation();
  return (error) => error && errorSentence(toApiError(error), t, i18n.language);
}
