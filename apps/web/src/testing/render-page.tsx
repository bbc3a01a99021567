import type { ConfidenceEvidence } from '@chiffchaff/contract';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { confidenceEvidenceQuery } from '../platform/api/confidence-evidence.ts';
import { HttpProvider } from '../platform/api/open-http.ts';
import { type PageConfig, publicConfigQuery } from '../platform/api/public-config.ts';
import { createPageSession } from '../platform/session/page-session.ts';
import { SessionProvider } from '../platform/session/session-context.tsx';
import { fakeConfig } from './fake-data.ts';

interface Options {
  readonly at?: string;
  /** What /config.json answered; null leaves the question open. */
  readonly config?: PageConfig | null;
  /** What the server answered about the words of confidence; `ask` leaves it to the page. */
  readonly evidence?: ConfidenceEvidence | null | 'ask';
  /** What the page has before it is shown. */
  readonly before?: (queries: QueryClient) => void;
}

/** Renders a part of the page as the page would: at an address, with a configuration and a session, with somebody at the keyboard. */
export function renderPage(part: ReactNode, { at = '/', config = fakeConfig, evidence = null, before }: Options = {}) {
  const page = createPageSession();
  page.queries.setDefaultOptions({ queries: { retry: false } });
  if (config) page.queries.setQueryData(publicConfigQuery.queryKey, config);
  if (config?.model && evidence !== 'ask') {
    page.queries.setQueryData(confidenceEvidenceQuery(config.apiOrigin, config.model.id).queryKey, evidence);
  }
  before?.(page.queries);
  const view = render(
    <QueryClientProvider client={page.queries}>
      <SessionProvider session={page.session} returnUrl={page.returnUrl}>
        <HttpProvider value={page.openHttp}>
          <MemoryRouter initialEntries={[at]}>{part}</MemoryRouter>
        </HttpProvider>
      </SessionProvider>
    </QueryClientProvider>,
  );
  return { ...view, ...page, user: userEvent.setup() };
}
