import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import type { AxiosInstance } from 'axios';
import { useTranslation } from '../../languages/i18n.ts';
import { useOpenHttp } from '../session/session-context.tsx';
import { toApiError } from './api-error.ts';
import { errorSentence } from './error-sentence.ts';

/** @returns a function that says why a call failed, given what it threw; null if it did not fail */
export function useFailureSentence(): (error: Error | null) => string | null {
  const { t, i18n } = useTranslation();
  return (error) => error && errorSentence(toApiError(error), t, i18n.language);
}

/** A mutation that calls the API; `failure` says why the last call failed, null if it did not. */
export function useCall<Answer, Input = void>(
  call: (http: AxiosInstance, input: Input) => Promise<Answer>,
  options: UseMutationOptions<Answer, Error, Input> = {},
) {
  const openHttp = useOpenHttp();
  const failureOf = useFailureSentence();
  const mutation = useMutation({ ...options, mutationFn: async (input: Input) => call(await openHttp(), input) });
  return { ...mutation, failure: failureOf(mutation.error) };
}
