import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Route, Routes } from 'react-router';
import { LandingScreen } from './features/landing/landing-screen.tsx';
import { TermsScreen } from './features/terms/terms-screen.tsx';
import { isAdmitted, useSession } from './platform/session.ts';
import { createScreenLoader, LazyScreen } from './ui/lazy-screen.tsx';
import { NotFoundScreen } from './ui/not-found-screen.tsx';
import { Notice } from './ui/notice.tsx';

// The first page and the terms come with the first load; everything later is fetched when it is asked for.
const aboutScreen = createScreenLoader(async () => (await import('./features/about/about-screen.tsx')).AboutScreen);
const detectionScreen = createScreenLoader(
  async () => (await import('./features/detection/detection-screen.tsx')).DetectionScreen,
);
const loginScreen = createScreenLoader(async () => (await import('./features/account/login-screen.tsx')).LoginScreen);

/** Shows what is behind the gate to those who are admitted and sends everybody else to the first page. */
function BehindGate({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const session = useSession();
  if (session.kind === 'unknown') return null;
  if (session.kind === 'unreachable')
    return (
      <Notice tone="warning" title={t('landing.unreachable')} announce>
        <button type="button" className="button" onClick={session.retry}>
          {t('action.tryAgain')}
        </button>
      </Notice>
    );
  return isAdmitted(session) ? children : <Navigate to="/" replace />;
}

const behindGate = (screen: ReactNode) => <BehindGate>{screen}</BehindGate>;

export function AppRoutes() {
  return (
    <Routes>
      <Route path="/" element={<LandingScreen />} />
      <Route path="/toc" element={<TermsScreen />} />
      <Route path="/about" element={<LazyScreen key="about" loader={aboutScreen} />} />
      <Route path="/login" element={<LazyScreen key="login" loader={loginScreen} />} />
      <Route path="/process" element={behindGate(<LazyScreen key="detection" loader={detectionScreen} />)} />
      <Route path="/app" element={<Navigate to="/process" replace />} />
      <Route path="*" element={behindGate(<NotFoundScreen />)} />
    </Routes>
  );
}
