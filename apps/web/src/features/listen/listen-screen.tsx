import { useQueryClient } from '@tanstack/react-query';
import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { leftSession, useStore, workInFlight } from '../../platform/browser/store.ts';
import { useNamesLanguage } from '../../platform/format/species-language.ts';
import type { DeviceQuestion, DeviceRecognizer } from '../../platform/on-device/device-recognizer.ts';
import { outboxCount } from '../../platform/outbox/outbox-page.ts';
import { nothingKnown, type RequestedConditions } from '../../platform/sending/requested-conditions.ts';
import { useAuthSnapshot } from '../../platform/session/session-context.tsx';
import type { DevicePlace } from '../../platform/storage/device-place.ts';
import { isShownHere } from '../../platform/storage/registry.ts';
import { Button } from '../../ui/button.tsx';
import { lazyScreen } from '../../ui/lazy-screen.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { AnswerProperties } from './ended/ended-session.tsx';
import { KeptSessions, keptSessionsKey, sessionToSave } from './ended/kept-sessions.tsx';
import type { LiveSession } from './live/live-session.ts';
import type { AboutBird } from './live/species-list.tsx';

// The screen comes first; these follow while it is read.
const DeviceModelGate = lazyScreen('DeviceModelGate', () => import('../../ui/device-model-gate.tsx'));
const LiveView = lazyScreen('LiveView', () => import('./live/live-view.tsx'));
const EndedSession = lazyScreen('EndedSession', () => import('./ended/ended-session.tsx'));
const importSession = () => import('./live/live-session.ts');
const importRecognizer = () => import('../../platform/on-device/device-recognizer.ts');
/** Loaded only if something is waiting. */
const OutboxList = lazyScreen('OutboxList', () => import('../outbox/outbox-list.tsx'));

type LiveSessionStart = typeof import('./live/live-session.ts').startLiveSession;
const startLiveSession: LiveSessionStart = async (...parts) => (await importSession()).startLiveSession(...parts);
const openDeviceRecognizer = async () => (await importRecognizer()).openDeviceRecognizer();

interface Properties {
  /** These belong to other features. */
  readonly AboutBird: AboutBird;
  readonly AnswerStage: ComponentType<AnswerProperties>;
  readonly PlaceSetting: ComponentType<{ readonly onChange: (asked: RequestedConditions, place: DevicePlace) => void }>;
  readonly start?: LiveSessionStart;
  readonly openRecognizer?: () => Promise<DeviceRecognizer>;
}

type Stage =
  | { readonly kind: 'ready'; readonly isOpening: boolean; readonly obstacle: Obstacle | null }
  | { readonly kind: 'live'; readonly session: LiveSession; readonly isEnding: boolean }
  | {
      readonly kind: 'ended';
      readonly id: string;
      readonly answer: Awaited<ReturnType<LiveSession['stop']>>['answer'];
      /** to be saved at once */
      readonly isWanted: boolean;
    };

/** The second tap on *Stop* presses nothing that takes its place. */
const UNPRESSABLE_MS = 700;

/** `/listen`: live recognition from the microphone on this device; open to everyone. */
export function ListenScreen({ AboutBird, AnswerStage, PlaceSetting, ...tools }: Properties) {
  const { start = startLiveSession, openRecognizer = openDeviceRecognizer } = tools;
  const { t } = useTranslation();
  const language = useNamesLanguage();
  const isSignedIn = useAuthSnapshot().state.token !== null;
  const hasOutbox = useStore(outboxCount) > 0;
  const [search, setSearch] = useSearchParams();
  const { state: visit } = useLocation();
  const [stage, setStage] = useState<Stage>(() => {
    const toSave = sessionToSave(search);
    const id: string | null = toSave ?? visit?.ended ?? null;
    if (id !== null && isShownHere(id)) return { kind: 'ended', id, answer: null, isWanted: toSave !== null };
    return { kind: 'ready', isOpening: false, obstacle: findObstacle() };
  });
  const asked = useRef<{ readonly question: DeviceQuestion; readonly place: DevicePlace } | null>(null);
  const [placeName, setPlaceName] = useState('');
  const live = useRef<LiveSession | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const [savedId, setSavedId] = useState<string | null>(null);

  useEffect(() => {
    void queries.prefetchQuery(LiveView.query);
    // A failure shows when they are needed.
    for (const load of [importSession, importRecognizer]) load().catch(() => {});
  }, [queries]);
  useEffect(() => {
    leftSession.set(null);
    return () => {
      // Leaving the screen ends the session; a notice and the next visit offer its recording.
      const session = live.current;
      void session?.stop().then(({ sessionId }) => {
        if (session.snapshot().failure !== 'refused') leftSession.set(sessionId);
        void queries.invalidateQueries({ queryKey: keptSessionsKey });
      });
      workInFlight.set(false);
    };
  }, [queries]);
  // A reload shows the session again, but does not save it again.
  const ended = stage.kind === 'ended' && stage.id !== savedId ? stage.id : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address alone
  useEffect(() => setSearch({}, { replace: true, state: { ended } }), [ended]);
  const changePlace = useCallback(
    (next: RequestedConditions, place: DevicePlace) => {
      asked.current = { question: { ...next, language }, place };
      live.current?.ask(asked.current.question, place);
      setPlaceName(place.kind === 'place' ? (place.name.split(', ')[0] ?? '') : '');
    },
    [language],
  );

  const listen = async () => {
    setStage({ kind: 'ready', isOpening: true, obstacle: null });
    try {
      const { question, place } = asked.current ?? { question: { ...nothingKnown, language }, place: null };
      const session = await start(openRecognizer, question, place);
      live.current = session;
      workInFlight.set(true);
      setStage({ kind: 'live', session, isEnding: false });
    } catch (error) {
      setStage({ kind: 'ready', isOpening: false, obstacle: obstacleIn(error) });
    }
  };
  const stop = async (session: LiveSession) => {
    setStage({ kind: 'live', session, isEnding: true });
    const { answer, sessionId } = await session.stop();
    live.current = null;
    workInFlight.set(false);
    document.body.animate?.({ pointerEvents: ['none', 'none'] }, UNPRESSABLE_MS);
    setStage({ kind: 'ended', id: sessionId, answer, isWanted: false });
  };
  const again = () => {
    setStage({ kind: 'ready', isOpening: false, obstacle: null });
    requestAnimationFrame(() => heading.current?.focus());
  };

  const credit = <p className="soft small">{t('layout.poweredBy')} · CC BY-NC-SA 4.0</p>;
  return (
    <div className="stack gap-large">
      <title>{t('listen.pageTitle')}</title>
      {stage.kind === 'ready' && (
        <>
          <div className="stack-tight measure">
            <h1 ref={heading} tabIndex={-1}>
              {t('listen.title')}
            </h1>
            <p className="soft">{t('listen.intro')}</p>
            {/* Here, where nothing that loads above moves it. */}
            {credit}
          </div>
          {stage.obstacle !== null && <ObstacleNotice obstacle={stage.obstacle} onRetry={() => void listen()} />}
          {stage.obstacle !== 'insecure' && stage.obstacle !== 'unable' && (
            <>
              <PlaceSetting onChange={changePlace} />
              <DeviceModelGate>
                <div className="stack-tight start">
                  <Button look="main" isDisabled={stage.isOpening} onClick={() => void listen()}>
                    {t('listen.start')}
                  </Button>
                  <p role="status" className="soft">
                    {stage.isOpening ? t('listen.opening') : t('listen.stays')}
                  </p>
                </div>
              </DeviceModelGate>
            </>
          )}
          <KeptSessions onOpen={(id) => setStage({ kind: 'ended', id, answer: null, isWanted: false })} />
          {hasOutbox && <OutboxList isSignedIn={isSignedIn} />}
        </>
      )}
      {stage.kind === 'live' && (
        <LiveView
          session={stage.session}
          isEnding={stage.isEnding}
          onStop={() => void stop(stage.session)}
          place={placeName || t('listen.where')}
          AboutBird={AboutBird}
        >
          <PlaceSetting onChange={changePlace} />
        </LiveView>
      )}
      {stage.kind === 'ended' && (
        <EndedSession
          key={stage.id}
          id={stage.id}
          answer={stage.answer}
          isWanted={stage.isWanted}
          language={language}
          openRecognizer={openRecognizer}
          AnswerStage={AnswerStage}
          onSaved={() => setSavedId(stage.id)}
          onAgain={again}
        />
      )}
      {stage.kind === 'live' && credit}
    </div>
  );
}

/**
 * Why this device cannot listen. `insecure`: the address is not https · `unable`: the browser lacks a required feature · `refused`: the
 * user or the system denied the microphone · `missing`: there is none · `busy`: another program uses it · `other`: the browser did
 * not say.
 */
export type Obstacle = 'insecure' | 'unable' | 'refused' | 'missing' | 'busy' | 'other';

/** Obstacles known before the microphone is requested; null if there is none. */
export function findObstacle(): Obstacle | null {
  if (!window.isSecureContext) return 'insecure';
  const canListen =
    'mediaDevices' in navigator &&
    'AudioWorkletNode' in window &&
    'Worker' in window &&
    'locks' in navigator &&
    'groupBy' in Map &&
    'withResolvers' in Promise;
  return canListen ? null : 'unable';
}

const names: { readonly [name: string]: Obstacle } = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

/** The obstacle behind an error of `getUserMedia`. */
export const obstacleIn = (error: unknown): Obstacle => (error instanceof DOMException && names[error.name]) || 'other';

const lasting: readonly Obstacle[] = ['insecure', 'unable'];

/** Shows the obstacle, and what works nevertheless. */
export function ObstacleNotice({ obstacle, onRetry }: { readonly obstacle: Obstacle; readonly onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <Notice
      tone="warning"
      title={t(`listen.obstacle.${obstacle}`)}
      announce
      onRetry={lasting.includes(obstacle) ? undefined : onRetry}
    >
      <p>
        {t(`listen.obstacle.${obstacle}Do`)} <Link to="/process">{t('listen.upload')}</Link>
      </p>
    </Notice>
  );
}
