import { type ProblemBody, problems } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { ApiError } from './api-error.ts';

const isKnownCode = (code: string): code is keyof typeof problems => Object.hasOwn(problems, code);

/**
 * What a person reads for an error, found by its code. The server's own English sentence knows particulars (what was found, the
 * reference); it is shown to those who read English, and where this page is older than the server.
 */
export function errorSentence(error: ApiError, t: TFunction, language: string): string {
  return error.kind === 'problem' ? problemSentence(error.problem, t, language) : t(`failure.${error.kind}`);
}

export function problemSentence({ code, detail }: ProblemBody, t: TFunction, language: string): string {
  const own = isKnownCode(code) ? t(`problem.${code}`) : '';
  return language.startsWith('en') || own === '' ? detail : own;
}

export function useErrorSentence(error: ApiError): string {
  const { t, i18n } = useTranslation();
  return errorSentence(error, t, i18n.language);
}
