import { type ProblemBody, type PublicConfig, problems } from '@chiffchaff/contract';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { formatBytes, formatDuration } from '../format/format.ts';
import type { ApiError } from './api-error.ts';
import { usePublicConfig } from './public-config.ts';

type Limits = PublicConfig['limits'] | null;

const isKnownCode = (code: string): code is keyof typeof problems => Object.hasOwn(problems, code);

/** Details of a problem, from its fields and the deployment's limits, as a further sentence; empty if there are none. */
function particulars({ code, instance }: ProblemBody, t: Translate, language: string, limits: Limits): string {
  if (code === 'INTERNAL') return t('particulars.reference', { reference: instance });
  if (!limits) return '';
  const { minRecordingSeconds, maxRecordingSeconds, maxUploadBytes } = limits;
  switch (code) {
    case 'RECORDING_TOO_SHORT':
      return t('particulars.least', { least: formatDuration(minRecordingSeconds, language) });
    case 'RECORDING_TOO_LONG':
      return t('particulars.longest', { most: formatDuration(maxRecordingSeconds, language) });
    case 'RECORDING_TOO_LARGE':
      return t('particulars.largest', { most: formatBytes(maxUploadBytes, language) });
    default:
      return '';
  }
}

/**
 * The sentence that people read for an error. The server's own English sentence has all details: it is shown in English, and for codes that
 * are newer than this page. Other languages add the details that they can.
 */
export function errorSentence(error: ApiError, t: Translate, language: string, limits: Limits = null): string {
  if (error.kind === 'problem') return problemSentence(error.problem, t, language, limits);
  return error.kind === 'device' ? t(`local.failure.${error.why}`) : t(`failure.${error.kind}`);
}

export function problemSentence(problem: ProblemBody, t: Translate, language: string, limits: Limits = null): string {
  const { code, detail } = problem;
  const own = isKnownCode(code) ? t(`problem.${code}`) : '';
  if (language.startsWith('en') || own === '') return detail;
  return `${own} ${particulars(problem, t, language, limits)}`.trimEnd();
}

export function useErrorSentence(error: ApiError): string {
  const { t, i18n } = useTranslation();
  const { data: config } = usePublicConfig();
  return errorSentence(error, t, i18n.language, config?.limits);
}
