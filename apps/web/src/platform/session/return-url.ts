/**
 * A path of this page that was asked for before signing in, or null when it leads anywhere else: `//evil.example`, `/\evil.example`,
 * `javascript:…` and what hides behind tabs or line breaks leave the origin or the scheme once the browser resolves them.
 */
export function readReturnUrl(text: string, origin: string): string | null {
  if (!text.startsWith('/') || /^\/[/\\]/.test(text) || /[\\\p{Cc}]/u.test(text)) return null;
  if (!URL.canParse(text, origin)) return null;
  const url = new URL(text, origin);
  const path = url.pathname + url.search + url.hash;
  // Dots may resolve to a path that begins like a host: `/.//evil.example`.
  return url.origin === origin && !path.startsWith('//') ? path : null;
}

export function createReturnUrl(origin: string) {
  let asked: string | null = null;
  return {
    current: () => asked,
    /** A path that leads elsewhere is not taken. */
    remember(path: string) {
      asked = readReturnUrl(path, origin) ?? asked;
    },
    forget() {
      asked = null;
    },
  };
}

/** The path that was asked for before signing in, as long as the page lives. */
export type ReturnUrl = ReturnType<typeof createReturnUrl>;
