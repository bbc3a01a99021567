import { setupAnswerSchema, testEmailAnswerSchema, type WrittenSettings } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { ask } from '../../platform/api/ask.ts';

const SETUP = '/v1/setup';

/** API calls of `/setup`, with the code in a header. */
export const setupCalls = (http: AxiosInstance, code: string) => {
  const setup = { url: SETUP, headers: code === '' ? {} : { 'Setup-Code': code } };
  return {
    read: () => ask(http, setupAnswerSchema, setup),
    save: (settings: WrittenSettings) => ask(http, setupAnswerSchema, { ...setup, method: 'PUT', data: settings }),
    async testEmail(contactEmail: string, language: string) {
      const test = { ...setup, url: `${SETUP}/test-email`, method: 'POST', data: { contactEmail, language } };
      return (await ask(http, testEmailAnswerSchema, test)).outcome;
    },
  };
};
export type SetupCalls = ReturnType<typeof setupCalls>;
