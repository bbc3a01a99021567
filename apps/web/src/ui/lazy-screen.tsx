import { type ComponentType, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from './notice.tsx';

/** Longest that a screen may take to load. */
const loadLimitMs = 120_000;

/** A screen that is fetched when it is first shown, and kept from then on. */
export interface ScreenLoader<Properties extends object> {
  /** The screen, once it has been loaded. */
  readonly loaded: () => ComponentType<Properties> | null;
  /** @throws Error when the screen does not load, or not within 120,000 ms */
  load(): Promise<ComponentType<Properties>>;
}

/** @param fetchScreen imports the screen's module; called again when it failed before */
export function createScreenLoader<Properties extends object = object>(
  fetchScreen: () => Promise<ComponentType<Properties>>,
): ScreenLoader<Properties> {
  let screen: ComponentType<Properties> | null = null;
  return {
    loaded: () => screen,
    async load() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`The screen did not load within ${loadLimitMs} ms`)), loadLimitMs);
      });
      try {
        screen = await Promise.race([fetchScreen(), late]);
        return screen;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

type Loading<Properties> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly Screen: ComponentType<Properties> }
  | { readonly kind: 'failed' };

const stateOf = <Properties extends object>(loader: ScreenLoader<Properties>): Loading<Properties> => {
  const Screen = loader.loaded();
  return Screen ? { kind: 'ready', Screen } : { kind: 'loading' };
};

/** Shows a screen when it is there. A failure is logged to the console, and a card with *Try again* takes the screen's place. */
export function LazyScreen<Properties extends object = object>(given: {
  readonly loader: ScreenLoader<Properties>;
  /** What the screen is given, where it wants anything. */
  readonly properties?: Properties;
}) {
  const { loader, properties } = given;
  const { t } = useTranslation();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState(() => stateOf(loader));

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads again
  useEffect(() => {
    let wanted = true;
    setState(stateOf(loader));
    if (loader.loaded()) return undefined;
    loader.load().then(
      (Screen) => {
        if (wanted) setState({ kind: 'ready', Screen });
      },
      (error: unknown) => {
        // biome-ignore lint/suspicious/noConsole: the specification asks for it
        console.error('A screen could not be loaded', error);
        if (wanted) setState({ kind: 'failed' });
      },
    );
    return () => {
      wanted = false;
    };
  }, [loader, attempt]);

  // Without properties, the loader is of a screen that wants none.
  if (state.kind === 'ready') return <state.Screen {...(properties ?? ({} as Properties))} />;
  if (state.kind === 'loading')
    return (
      <div className="awaited">
        <p role="status" className="visually-hidden">
          {t('screen.loading')}
        </p>
      </div>
    );
  return (
    <Notice tone="warning" title={t('screen.failedTitle')} announce isScreen>
      <p>{t('screen.failed')}</p>
      <button type="button" className="button" onClick={() => setAttempt(attempt + 1)}>
        {t('action.tryAgain')}
      </button>
    </Notice>
  );
}
