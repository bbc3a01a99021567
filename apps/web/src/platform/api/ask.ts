import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import type { z } from 'zod';

/** Calls the API and checks what it answers. @param request a GET unless it says otherwise. @throws AxiosError, ZodError */
export const ask = async <Answer>(http: AxiosInstance, schema: z.ZodType<Answer>, request: AxiosRequestConfig): Promise<Answer> =>
  schema.parse((await http.request<unknown>(request)).data);
