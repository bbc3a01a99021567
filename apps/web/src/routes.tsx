import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { Navigate, Route, Routes, useLocation, useNavigate } from 'react-router';
import { LandingScreen } from './features/landing/landing-screen.tsx';
import { type Strings, useTranslation } from './languages/i18n.ts';
import { useIsOnline } from './platform/browser/connection.ts';
import { useStore } from './platform/browser/store.ts';
import { outboxCount } from './platform/outbox/outbox-page.ts';
import { isAdmitted, useAuthSession, useAuthSnapshot, useReturnUrl, useSession } from './platform/session/session-context.tsx';
import { namesIn } from './platform/storage/registry.ts';
import { NotFoundScreen, OfflineScreen } from './ui/empty-screens.tsx';
import { lazyScreen } from './ui/lazy-screen.tsx';
import { Notice } from './ui/notice.tsx';

// The first page comes with the first load; all other screens load on demand.
const AboutScreen = lazyScreen('AboutScreen', () => import('./features/about/about-screen.tsx'));
const DetectionScreen = lazyScreen('DetectionScreen', () => import('./features/detection/detection-screen.tsx'));
const HistoryScreen = lazyScreen('HistoryScreen', () => import('./features/history/history-screen.tsx'));
const StoredPredictionScreen = lazyScreen(
  'StoredPredictionScreen',
  () => import('./features/detection/stored-prediction-screen.tsx'),
);
const SharedScreen = lazyScreen('SharedScreen', () => import('./features/shared/shared-screen.tsx'));
const SpeciesScreen = lazyScreen('SpeciesScreen', () => import('./features/species/species-screen.tsx'));
const LifeListScreen = lazyScreen('LifeListScreen', () => import('./features/species/life-list/life-list-screen.tsx'));
const LoginScreen = lazyScreen('LoginScreen', () => import('./features/account/login/login-screen.tsx'));
const SignOutQuestion = lazyScreen('SignOutQuestion', () => import('./features/account/sign-out-question.tsx'));
const TermsScreen = lazyScreen('TermsScreen', () => import('./features/terms/terms-screen.tsx'));
const AccountScreen = lazyScreen('AccountScreen', () => import('./features/account/account-screen.tsx'));
const ActionScreen = lazyScreen('ActionScreen', () => import('./features/account/action-screen.tsx'));

/** Parts of other features that `/listen` and `/birds` show. They are passed in because features do not import each other. */
const AnswerStage = lazyScreen('AnswerStage', () => import('./features/detection/answer/answer-stage.tsx'));
const AboutBird = lazyScreen('AboutBird', () => import('./features/species/about-bird.tsx'));
const importPlaceSetting = () => import('./features/detection/choose/place-line.tsx');
/** Shown by `/setup`, and passed in for the same reason. */
const TermsPreview = lazyScreen('TermsPreview', () => import('./features/terms/terms-screen.tsx'));
const PlaceField = lazyScreen('PlaceField', () => import('./features/detection/choose/place-field.tsx'));
const SetupScreen = lazyScreen('SetupScreen', () => import('./features/setup/setup-screen.tsx'));
/** Loaded together, so that what is below the place does not move when that comes. */
const BirdsScreen = lazyScreen('BirdsScreen', async () => {
  const [{ BirdsScreen: Screen }, { PlaceSetting }] = await Promise.all([
    import('./features/species/birds-screen.tsx'),
    importPlaceSetting(),
  ]);
  // biome-ignore lint/correctness/noComponentHookFactories: called once, as the screen is loaded
  return { BirdsScreen: () => <Screen PlaceSetting={PlaceSetting} /> };
});
const ListenScreen = lazyScreen('ListenScreen', async () => {
  const [{ ListenScreen: Screen }, { PlaceSetting }] = await Promise.all([
    import('./features/listen/listen-screen.tsx'),
    importPlaceSetting(),
  ]);
  // biome-ignore lint/correctness/noComponentHookFactories: called once, as the screen is loaded
  return { ListenScreen: () => <Screen {...{ AboutBird, AnswerStage, PlaceSetting }} /> };
});

/** What a visitor cannot see without signing in, or that there is nothing at the address. */
type Why = keyof Strings['whyHere'];

/** Redirects with the reason, which `WhyHere` says, and opens the asked address after the sign-in unless there is nothing. */
function ToFirstPage({ to, why }: { readonly to: string; readonly why: Why }) {
  const { pathname, search, hash } = useLocation();
  const returnUrl = useReturnUrl();
  const { ended } = useAuthSnapshot();
  useEffect(() => {
    if (why !== 'nowhere') returnUrl.remember(pathname + search + hash);
  }, [returnUrl, why, pathname, search, hash]);
  // A notice already says how the session ended.
  const isTold = ended !== null && ended !== 'signedOut';
  return <Navigate to={to} replace state={isTold ? null : { why }} />;
}

interface GateProperties {
  readonly children: ReactNode;
  readonly why: Why;
  /** Requires an account even if predictions are open to all. */
  readonly needsAccount: boolean;
}

/** Shows `children` to visitors who are admitted and redirects all others to the first page or the login screen. */
function BehindGate({ children, why, needsAccount }: GateProperties) {
  const { t } = useTranslation();
  const session = useSession();
  const returnUrl = useReturnUrl();
  const isOnline = useIsOnline();
  const { person } = useAuthSnapshot();
  const isOpen = needsAccount ? session.kind === 'signedIn' : isAdmitted(session);
  useEffect(() => {
    if (isOpen) returnUrl.forget();
  }, [returnUrl, isOpen]);
  // Another person finds nothing that was typed or chosen before.
  if (isOpen) return <Fragment key={person}>{children}</Fragment>;
  if (!isOnline && (session.kind === 'unknown' || session.kind === 'unreachable')) return <OfflineScreen />;
  if (session.kind === 'unknown') return null;
  if (session.kind === 'unreachable')
    return <Notice tone="warning" title={t('landing.unreachable')} announce isScreen onRetry={session.retry} />;
  // If predictions are open to all, the first page offers no sign-in.
  return <ToFirstPage to={session.kind === 'notNeeded' ? '/login' : '/'} why={why} />;
}

/** `/login`: signs out if the link asks for it, redirects if an account is signed in, and shows the login screen otherwise. */
function Login() {
  const { state: given, hash } = useLocation();
  const navigate = useNavigate();
  const session = useAuthSession();
  const returnUrl = useReturnUrl();
  const { state } = useAuthSnapshot();
  /** Why the link that led here asks for a sign-out; null if it does not. */
  const signOut: string | null = given?.signOut ?? null;
  const [isAnswered, setIsAnswered] = useState(false);
  // Someone who signs out here is asked about recordings that are only on this device.
  const mayAsk = signOut === 'loggedOut' && state.token !== null && !isAnswered;
  const { data: sessions } = useQuery({
    queryKey: ['device', 'sessions', 'of', state.localId],
    queryFn: async () => (await namesIn('recordings', state.localId)).length,
    enabled: mayAsk,
    gcTime: 0,
  });
  const hasOutbox = useStore(outboxCount) > 0;
  const isAsking = mayAsk && (hasOutbox || sessions !== 0);
  useEffect(() => {
    if (signOut === null || isAsking) return;
    returnUrl.forget();
    // A session that the server has already ended needs no revoking.
    session.signOut({ revoke: signOut === 'loggedOut' });
    // Returning to this history entry later does not sign out again.
    void navigate('/login', { replace: true, state: { signedOut: signOut } });
  }, [returnUrl, navigate, session, signOut, isAsking]);
  if (isAsking) return sessions !== undefined && <SignOutQuestion sessions={sessions} onAnswered={() => setIsAnswered(true)} />;
  if (signOut !== null) return null;
  if (state.token !== null) return <Navigate to={returnUrl.current() ?? '/process'} replace />;
  // An invitation link that is opened on this very screen changes only the hash: the key resets the screen.
  return <LoginScreen key={hash} />;
}

const gated = (why: Why, screen: ReactNode, needsAccount = true) => (
  <BehindGate why={why} needsAccount={needsAccount}>
    {screen}
  </BehindGate>
);

export function AppRoutes() {
  const { person } = useAuthSnapshot();
  return (
    <Routes>
      <Route path="/" element={<LandingScreen />} />
      <Route path="/toc" element={<TermsScreen />} />
      <Route path="/setup" element={<SetupScreen PlaceField={PlaceField} TermsPreview={TermsPreview} />} />
      <Route path="/about" element={<AboutScreen />} />
      <Route path="/listen" element={<ListenScreen key={person} />} />
      <Route path="/shared/:token" element={<SharedScreen />} />
      <Route path="/birds" element={<BirdsScreen key={person} />} />
      <Route path="/birds/:scientificName" element={<SpeciesScreen />} />
      <Route path="/life-list" element={gated('lifeList', <LifeListScreen />)} />
      <Route path="/login" element={<Login />} />
      <Route path="/account/action" element={<ActionScreen />} />
      <Route path="/account" element={gated('account', <AccountScreen />)} />
      <Route path="/history" element={gated('history', <HistoryScreen />)} />
      <Route path="/history/:id" element={gated('history', <StoredPredictionScreen />)} />
      <Route path="/process" element={gated('process', <DetectionScreen />, false)} />
      <Route path="/app" element={<Navigate to="/process" replace />} />
      <Route path="*" element={gated('nowhere', <NotFoundScreen />, false)} />
    </Routes>
  );
}
