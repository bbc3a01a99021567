import { IconFeather, IconFileMusic, IconHistory, IconMicrophone } from '@tabler/icons-react';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSessionNotice } from './features/account/session-notice.tsx';
import { UndoNotice } from './features/history/undo-notice.tsx';
import { chooseLanguage, speak, spoken, useTranslation } from './languages/i18n.ts';
import { usePublicConfig } from './platform/api/public-config.ts';
import { ConnectionProvider } from './platform/browser/connection.ts';
import type { FollowedWorker } from './platform/service-worker/follow-worker.ts';
import type { PageSession } from './platform/session/page-session.ts';
import { isAdmitted, SessionProvider, useAuthSnapshot, useSession } from './platform/session/session-context.tsx';
import { preferences } from './platform/storage/preferences.ts';
import { AppRoutes } from './routes.tsx';
import { Keys } from './ui/keys/keys.tsx';
import { Layout, type NavigationItem } from './ui/layout/layout.tsx';
import { PageNotices } from './ui/layout/page-notices.tsx';

/** Switches to the operator's default language if the interface has none of the browser's languages and the user has chosen none. */
function useOperatorsLanguage(): void {
  const operators = usePublicConfig().data?.defaultLanguage;
  useEffect(() => {
    if (!operators) return;
    const language = chooseLanguage(preferences.snapshot().language, [...navigator.languages, operators]);
    if (language !== spoken.snapshot().language) void speak(language);
  }, [operators]);
}

function Page({ worker }: { readonly worker: FollowedWorker }) {
  useOperatorsLanguage();
  const { t } = useTranslation();
  const isSignedIn = useAuthSnapshot().state.token !== null;
  const session = useSession();
  const items: readonly (NavigationItem | false)[] = [
    { to: '/listen', label: t('layout.listen'), icon: IconMicrophone },
    isAdmitted(session) && { to: '/process', label: t('layout.detect'), icon: IconFileMusic },
    isSignedIn && { to: '/history', label: t('layout.history'), icon: IconHistory },
    isSignedIn && { to: '/life-list', label: t('layout.lifeList') },
    { to: '/birds', label: t('layout.birds'), icon: IconFeather },
    { to: '/about', label: t('layout.about') },
    isSignedIn && { to: '/account', label: t('layout.account') },
    isSignedIn
      ? { to: '/login', label: t('layout.logout'), state: { signOut: 'loggedOut' } }
      : { to: '/login', label: t('layout.login') },
  ];
  return (
    <Layout
      items={items.filter((item) => item !== false)}
      notices={<PageNotices worker={worker} standing={useSessionNotice()} undo={<UndoNotice />} />}
    >
      <AppRoutes />
      <Keys />
    </Layout>
  );
}

export function App(page: PageSession) {
  return (
    <QueryClientProvider client={page.queries}>
      <ConnectionProvider value={page.connection}>
        <SessionProvider value={page}>
          <Page worker={page.worker} />
        </SessionProvider>
      </ConnectionProvider>
    </QueryClientProvider>
  );
}
