import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ComponentType, createElement, type ReactNode, useDeferredValue } from 'react';
import { useTranslation, withLaterTexts } from '../languages/i18n.ts';
import { useScreenShown } from '../platform/browser/store.ts';
import { Button } from './button.tsx';
import { EmptyScreen } from './empty-screens.tsx';

/** A part of the page that is imported on first use; `load-chunk.ts` allows it 120,000 ms. A failure is logged to the console. */
export const importOnce = <Module,>(name: string, importModule: () => Promise<Module>) =>
  queryOptions({
    queryKey: ['imported', name],
    async queryFn() {
      try {
        return { module: await importModule() };
      } catch (error) {
        // biome-ignore lint/suspicious/noConsole: the specification asks for it
        console.error(`${name} could not be loaded`, error);
        throw error;
      }
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });

export function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <EmptyScreen title={t('screen.failedTitle')} text={t('screen.failed')} role="alert">
      <Button look="main" onClick={onRetry}>
        {t('action.tryAgain')}
      </Button>
    </EmptyScreen>
  );
}

type PropertiesOf<Screen> = Screen extends (properties: infer Properties) => ReactNode ? Properties & object : never;

/**
 * A screen that is imported when it is first shown, with the later texts. If that fails, a drawing and *Try again* replace it.
 *
 * @param name under which its module exports it
 * @returns the component; its `query` preloads the screen
 */
export function lazyScreen<Name extends string, Module extends { readonly [Screen in Name]: (properties: never) => ReactNode }>(
  name: Name,
  importModule: () => Promise<Module>,
) {
  const query = importOnce(`The screen ${name}`, async () => (await withLaterTexts(importModule()))[name]);
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each screen, when the page loads
  function LazyScreen(properties: PropertiesOf<Module[Name]>) {
    const { t } = useTranslation();
    const { data, isError, isFetching, refetch } = useQuery(query);
    // Deferred, so that React renders it in slices and a slow phone responds to touches in between.
    const screen = useDeferredValue(data);
    useScreenShown(screen !== undefined);
    if (screen) return createElement(screen.module as ComponentType<object>, properties);
    if (isError && !isFetching) return <LoadFailed onRetry={() => void refetch()} />;
    return (
      <div className="awaited">
        <p role="status" className="visually-hidden">
          {t('screen.loading')}
        </p>
      </div>
    );
  }
  return Object.assign(LazyScreen, { query });
}
