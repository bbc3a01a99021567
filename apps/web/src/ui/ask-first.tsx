import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '../languages/i18n.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface Properties extends Omit<ComponentProps<typeof Button>, 'ref' | 'style' | 'onClick'> {
  readonly question: string;
  /** What is worth knowing before the answer. */
  readonly help?: string;
  readonly yes: string;
  readonly no?: string;
  readonly onYes: () => void;
}

const focus = (element: HTMLElement | null) => element?.focus();

/** Says what was done, and takes the focus as it appears: what was pressed is gone. */
export const Done = ({ children }: { readonly children: ReactNode }) => (
  <p ref={focus} tabIndex={-1} role="status" className="soft small">
    {children}
  </p>
);

/**
 * A button that asks a question in its place before it acts. Escape means no. It has the focus again after the answer; if it disappears
 * then, its section's heading has it, or the screen.
 */
export function AskFirst({ question, help, yes, no, onYes, ...button }: Properties) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    flushSync(() => setIsAsking(false));
    focus(opener.current);
  };
  useLayoutEffect(() => {
    const own = opener.current;
    const around = [own?.closest('section')?.querySelector<HTMLElement>('h2[tabindex]'), own?.closest('main')];
    return () => {
      if (document.activeElement !== own) return;
      queueMicrotask(() => {
        // Unless something else of the screen has taken it.
        if (document.activeElement === document.body) around.find((element) => element?.isConnected)?.focus();
      });
    };
  }, []);
  const answers = (
    <span className="cluster">
      <Button
        look="destructive"
        onClick={() => {
          close();
          onYes();
        }}
      >
        {yes}
      </Button>
      <Button ref={focus} look={help === undefined ? 'secondary' : 'main'} onClick={close}>
        {no ?? t('action.cancel')}
      </Button>
    </span>
  );
  return (
    <>
      <Button {...button} ref={opener} style={isAsking ? { display: 'none' } : undefined} onClick={() => setIsAsking(true)} />
      {isAsking && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape in what it contains
        <span className="cluster" onKeyDown={({ key }) => key === 'Escape' && close()}>
          {help === undefined ? (
            <>
              <span role="alert">{question}</span>
              {answers}
            </>
          ) : (
            <Notice tone="warning" title={question} announce>
              <p>{help}</p>
              {answers}
            </Notice>
          )}
        </span>
      )}
    </>
  );
}
