import { setupAnswerSchema, testEmailAnswerSchema, type WrittenSettings } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';

const SETUP = '/v1/setup';
const CODE_HEADER = 'Setup-Code';

/** API calls of `/setup`, with the code in a header. */
export const setupCalls = (http: AxiosInstance, code: string) => {
  const options = { headers: code === '' ? {} : { [CODE_HEADER]: code } };
  return {
    read: async () => setupAnswerSchema.parse((await http.get<unknown>(SETUP, options)).data),
    save: async (settings: WrittenSettings) => setupAnswerSchema.parse((await http.put<unknown>(SETUP, settings, options)).data),
    testEmail: async (contactEmail: string, language: string) =>
      testEmailAnswerSchema.parse((await http.post<unknown>(`${SETUP}/test-email`, { contactEmail, language }, options)).data)
        .outcome,
  };
};
export type SetupCalls = ReturnType<typeof setupCalls>;
