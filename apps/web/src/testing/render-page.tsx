import type { ConfidenceEvidence, PublicConfig } from '@chiffchaff/contract';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { type InitialEntry, MemoryRouter } from 'react-router';
import { evidencePath } from '../platform/api/confidence-evidence.ts';
import { publicConfigQuery } from '../platform/api/public-config.ts';
import { publicKey } from '../platform/api/read-public.ts';
import { createPageSession } from '../platform/session/page-session.ts';
import { SessionProvider } from '../platform/session/session-context.tsx';
import { fakeConfig } from './fake-data.ts';
import { signIn } from './sign-in.ts';

interface Options {
  readonly at?: InitialEntry;
  /** Response of /config.json; null leaves it pending. */
  readonly config?: PublicConfig | null;
  /** The server's evidence for the confidence words; `ask` lets the page request it. */
  readonly evidence?: ConfidenceEvidence | null | 'ask';
  /** Fills the query cache before the first render. */
  readonly before?: (queries: QueryClient) => void;
}

/** Renders a part of the page in its usual context: an address, a configuration, a session, and a user at the keyboard. */
export function renderPage(part: ReactNode, { at = '/', config = fakeConfig, evidence = null, before }: Options = {}) {
  const page = createPageSession();
  page.queries.setDefaultOptions({ queries: { retry: false } });
  if (config) page.queries.setQueryData(publicConfigQuery.queryKey, config);
  if (config?.model && evidence !== 'ask') {
    page.queries.setQueryData(publicKey(config.apiOrigin + evidencePath(config.model.id)), evidence);
  }
  before?.(page.queries);
  const view = render(
    <QueryClientProvider client={page.queries}>
      <SessionProvider value={page}>
        <MemoryRouter initialEntries={[at]}>{part}</MemoryRouter>
      </SessionProvider>
    </QueryClientProvider>,
  );
  return { ...view, ...page, user: userEvent.setup(), signIn: (localId = 'u1') => act(() => signIn(page.session, localId)) };
}
