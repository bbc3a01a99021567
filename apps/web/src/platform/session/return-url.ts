/**
 * Validates a path of this page that was requested before the sign-in; null when it leads anywhere else: `//evil.example`,
 * `/\evil.example`, `javascript:…` and anything hidden behind tabs or line breaks leave the origin or the scheme once the browser resolves
 * them.
 */
export function readReturnUrl(text: string, origin: string): string | null {
  if (!text.startsWith('/') || /^\/[/\\]/.test(text) || /[\\\p{Cc}]/u.test(text)) return null;
  if (!URL.canParse(text, origin)) return null;
  const url = new URL(text, origin);
  const path = url.pathname + url.search + url.hash;
  // Dots may resolve to a path that starts like a host: `/.//evil.example`.
  return url.origin === origin && !path.startsWith('//') ? path : null;
}

export function createReturnUrl(origin: string) {
  let asked: string | null = null;
  return {
    current: () => asked,
    /** Ignores a path that leads elsewhere. */
    remember(path: string) {
      asked = readReturnUrl(path, origin) ?? asked;
    },
    forget() {
      asked = null;
    },
  };
}

/** The path that was requested before the sign-in, for the lifetime of the page. */
export type ReturnUrl = ReturnType<typeof createReturnUrl>;
