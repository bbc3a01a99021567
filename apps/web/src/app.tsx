import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmitted, useSession } from './platform/session.ts';
import { AppRoutes } from './routes.tsx';
import { Layout, type NavigationItem } from './ui/layout/layout.tsx';

function Page() {
  const { t } = useTranslation();
  const session = useSession();
  const items: readonly (NavigationItem | false)[] = [
    isAdmitted(session) && { to: '/process', label: t('layout.detect') },
    { to: '/about', label: t('layout.about') },
    session.kind === 'signedOut' && { to: '/login', label: t('layout.login') },
  ];
  return (
    <Layout items={items.filter((item) => item !== false)}>
      <AppRoutes />
    </Layout>
  );
}

/** The whole page; a router and a started language are around it. */
export function App() {
  const [queries] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: 1, refetchOnWindowFocus: false } } }));
  return (
    <QueryClientProvider client={queries}>
      <Page />
    </QueryClientProvider>
  );
}
