import type { QueryClient } from '@tanstack/react-query';
import type { AxiosInstance } from 'axios';
import type { Connection } from '../browser/connection.ts';
import { openOnce } from '../browser/open-once.ts';
import type { AuthSession } from '../session/create-auth-session.ts';
import { publicConfigQuery } from './public-config.ts';

/** Returns the page's one API client; the first call loads it and the configuration. @throws when either fails to load */
export type OpenHttp = () => Promise<AxiosInstance>;

export const createOpenHttp = (queries: QueryClient, session: AuthSession, { check }: Connection): OpenHttp =>
  openOnce(async () => {
    const [{ createHttpClient }, { apiOrigin }] = await Promise.all([
      import('./http-client.ts'),
      queries.ensureQueryData(publicConfigQuery),
    ]);
    return createHttpClient(apiOrigin, session, check);
  });
