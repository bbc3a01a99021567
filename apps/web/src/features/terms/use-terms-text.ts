import { useEffect, useState } from 'react';
import type { TermsText } from './text/terms-text.ts';

/** A language without terms of its own reads the English ones. */
const loaders: { readonly [language: string]: () => Promise<{ readonly termsText: TermsText }> } = {
  en: () => import('./text/en.ts'),
  de: () => import('./text/de.ts'),
};

export interface LoadedTerms {
  /** null until it is there */
  readonly text: TermsText | null;
  /** of the text, which may differ from the interface's */
  readonly language: string;
  readonly failed: boolean;
  readonly retry: () => void;
}

/** The terms in the interface's language, fetched when they are shown. */
export function useTermsText(interfaceLanguage: string): LoadedTerms {
  const language = Object.hasOwn(loaders, interfaceLanguage) ? interfaceLanguage : 'en';
  const [loaded, setLoaded] = useState<{ readonly language: string; readonly text: TermsText } | null>(null);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads again
  useEffect(() => {
    let isWanted = true;
    setFailed(false);
    loaders[language]?.().then(
      ({ termsText }) => {
        if (isWanted) setLoaded({ language, text: termsText });
      },
      (error: unknown) => {
        // biome-ignore lint/suspicious/noConsole: a chunk that does not load is told to whoever looks
        console.error('The terms could not be loaded', error);
        if (isWanted) setFailed(true);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [language, attempt]);

  return {
    text: loaded?.language === language ? loaded.text : null,
    language,
    failed,
    retry: () => setAttempt((before) => before + 1),
  };
}
