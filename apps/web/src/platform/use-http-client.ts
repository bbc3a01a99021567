import type { AxiosInstance } from 'axios';
import { useMemo } from 'react';
import { useAuthSession } from './auth-session/session-context.tsx';
import { useConnection } from './connection.ts';
import { createHttpClient } from './http-client.ts';
import { usePublicConfig } from './public-config.ts';

/** The way to the API for whoever is signed in; calls of others carry no token. */
export function useHttpClient(): AxiosInstance {
  const session = useAuthSession();
  const { check } = useConnection();
  const { data: config } = usePublicConfig();
  const apiOrigin = config?.apiOrigin ?? '';
  return useMemo(() => createHttpClient(apiOrigin, session, check), [apiOrigin, session, check]);
}
