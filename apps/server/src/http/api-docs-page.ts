import { readFileSync } from 'node:fs';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const FONT = 'font/woff2';

/** Files that the API page loads, by name below `static/`. The fonts are those of the web app, for Latin letters. */
export const apiDocsFiles = [
  ['swagger-ui-bundle.js', SCRIPT, import.meta.resolve('@fastify/swagger-ui/static/swagger-ui-bundle.js')],
  ['swagger-ui-standalone-preset.js', SCRIPT, import.meta.resolve('@fastify/swagger-ui/static/swagger-ui-standalone-preset.js')],
  ['swagger-ui.css', STYLE, import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css')],
  ['look.css', STYLE, import.meta.resolve('./api-docs.css')],
  ['theme.js', SCRIPT, import.meta.resolve('./api-docs-theme.js')],
  ['figtree.woff2', FONT, import.meta.resolve('@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2')],
  ['fraunces.woff2', FONT, import.meta.resolve('@fontsource-variable/fraunces/files/fraunces-latin-opsz-normal.woff2')],
] as const;

/** @param address of a file in `apiDocsFiles` */
export const readDocsFile = (address: string): Buffer => readFileSync(new URL(address));

/**
 * The API page. The library's own page has no viewport, no link back and not our colours.
 *
 * @param path where the page is served, without a trailing slash
 */
export const apiDocsPage = (path: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HTTP API · Chiffchaff</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${path}/static/swagger-ui.css">
<link rel="stylesheet" href="${path}/static/look.css">
<script src="${path}/static/theme.js"></script>
</head>
<body>
<header class="head">
<a class="home" href="/"><svg viewBox="0 0 40 44" aria-hidden="true"><path d="${NOTES}"/></svg>Chiffchaff</a>
<a href="/account">API tokens</a>
<a href="/openapi.json">OpenAPI document</a>
</header>
<main id="swagger-ui"><noscript>This page needs JavaScript. Programs read <a href="/openapi.json">/openapi.json</a>.</noscript></main>
<script src="${path}/static/swagger-ui-bundle.js"></script>
<script src="${path}/static/swagger-ui-standalone-preset.js"></script>
<script src="${path}/static/swagger-initializer.js"></script>
</body>
</html>
`;

/** The logo, as in apps/web/src/ui/wordmark.tsx. */
const NOTES =
  'M4.6 4.4C4.5.9 10.6.9 10.6 4.4c1.4 12 4 19.6 11.6 25 3.2 2.5.8 6.3-2.7 5.1C9.2 30.7 5.2 20.6 4.6 4.4z' +
  'M22.4 13.4c-.1-3.5 6-3.5 6 0 1.2 9.8 3.4 16.2 10 20.8 3.2 2.5.8 6.3-2.7 5.1-8.9-3.2-12.8-12-13.3-25.9z';
