import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import type { z } from 'zod';

/** Calls the API and checks what it answers. @param request a GET unless it says otherwise. @throws AxiosError, ZodError */
export const ask = async <Answer>(http: AxiosInstance, schema: z.ZodType<Answer>, request: AxiosRequestConfig): Promise<Answer> =>
  schema.parse((await http.request<unknown>(request)).data);

/** Bytes from the API. @throws AxiosError */
export const askBytes = async (http: AxiosInstance, request: AxiosRequestConfig): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array((await http.request<ArrayBuffer>({ ...request, responseType: 'arraybuffer' })).data);
