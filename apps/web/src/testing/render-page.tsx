import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { type PageConfig, publicConfigQuery } from '../platform/public-config.ts';
import { madeUpConfig } from './made-up.ts';

interface Options {
  readonly at?: string;
  /** What /config.json answered; null leaves the question open. */
  readonly config?: PageConfig | null;
}

/** Renders a part of the page as the page would: at an address, with a configuration, with somebody at the keyboard. */
export function renderPage(part: ReactNode, { at = '/', config = madeUpConfig }: Options = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  if (config) queries.setQueryData(publicConfigQuery.queryKey, config);
  const view = render(
    <QueryClientProvider client={queries}>
      <MemoryRouter initialEntries={[at]}>{part}</MemoryRouter>
    </QueryClientProvider>,
  );
  return { ...view, user: userEvent.setup() };
}
