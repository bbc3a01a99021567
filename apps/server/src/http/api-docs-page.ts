import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { escapeHtml } from './escape-html.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const FONT = 'font/woff2';

/** Files that the API page loads, by name below `static/`. The fonts are those of the web app, for Latin letters. */
export const apiDocsFiles = [
  ['look.css', STYLE, import.meta.resolve('./api-docs.css')],
  ['theme.js', SCRIPT, import.meta.resolve('./api-docs-theme.js')],
  ['figtree.woff2', FONT, import.meta.resolve('@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2')],
  ['fraunces.woff2', FONT, import.meta.resolve('@fontsource-variable/fraunces/files/fraunces-latin-opsz-normal.woff2')],
] as const;

/** @param address of a file in `apiDocsFiles` */
export const readDocsFile = (address: string): Buffer => readFileSync(new URL(address));

/** What the page reads of an OpenAPI document; the rest of an operation is shown as it is. */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string }[];
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, { readonly description?: string }>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses?: Readonly<Record<string, ApiResponse>>;
}

interface ApiResponse {
  readonly description?: string;
  readonly content?: Readonly<Record<string, object>>;
}

interface Route {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const PROBLEM = 'application/problem+json';

/**
 * The API page: every route of the document, closed until it is wanted. The id of a route is in what it opens to, because browsers open
 * what surrounds the target of a link.
 *
 * @param path where the page is served, without a trailing slash
 */
export function apiDocsPage(document: ApiDocument, path: string): string {
  const { info, tags = [], components } = document;
  const routes = Object.entries(document.paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ id: slug(`${method} ${at}`), method, path: at, operation })),
  );
  const topics = tags.map(({ name }) => ({
    name,
    id: slug(name),
    routes: routes.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  const responses = routes.flatMap(({ operation }) => Object.values(operation.responses ?? {}));
  const problem = responses.find(({ content }) => content?.[PROBLEM] !== undefined);
  const schemes = Object.entries(components?.securitySchemes ?? {});
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HTTP API · Chiffchaff</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${path}/static/look.css">
<script src="${path}/static/theme.js"></script>
</head>
<body>
<header class="head">
<a class="home" href="/"><svg viewBox="0 0 40 44" aria-hidden="true"><path d="${NOTES}"/></svg>Chiffchaff</a>
<a href="/account">API tokens</a>
<a href="/openapi.json">OpenAPI document</a>
</header>
<main>
<h1>HTTP API</h1>
<p>${withCode(info.description ?? '')} Version ${escapeHtml(info.version)}.</p>
<nav aria-label="Contents">
<ul>
<li><a href="#credentials">Credentials</a></li>
<li><a href="#problems">Problems</a></li>
${topics.map(({ id, name, routes: { length } }) => `<li><a href="#${id}">${escapeHtml(name)}</a> <span class="count">${length}</span></li>`).join('\n')}
</ul>
</nav>
<section>
<h2 id="credentials">Credentials</h2>
<dl>
${schemes.map(([key, { description }]) => `<dt id="${credentialId(key)}">${credentialName(key)}</dt>\n<dd>${withCode(description ?? '')}</dd>`).join('\n')}
</dl>
</section>
<section>
<h2 id="problems">Problems</h2>
${problem === undefined ? '' : `<p>${withCode(problem.description ?? '')}</p>\n${asYaml(problem.content)}`}
</section>
${topics.map(({ id, name, routes: its }) => `<section>\n<h2 id="${id}">${escapeHtml(name)}</h2>\n${its.map(writeRoute).join('\n')}\n</section>`).join('\n')}
</main>
</body>
</html>
`;
}

/** Text as an id: `get /v1/places` becomes `get-v1-places`. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const credentialId = (key: string): string => `credential-${slug(key)}`;

/** `apiToken` becomes *API token*. */
const credentialName = (key: string): string => {
  const words = key
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/\b(api|id)\b/g, (word) => word.toUpperCase());
  return escapeHtml(words.charAt(0).toUpperCase() + words.slice(1));
};

function writeRoute({ id, method, path, operation }: Route): string {
  const { summary = '', description, parameters = [], requestBody, responses = {} } = operation;
  const isProblem = ([, { content }]: [string, ApiResponse]): boolean => content?.[PROBLEM] !== undefined;
  const problems = Object.entries(responses).filter(isProblem);
  const own = Object.fromEntries(Object.entries(responses).filter((response) => !isProblem(response)));
  return `<details>
<summary><h3><span class="method" data-method="${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span> <code class="path">${escapeHtml(path).replaceAll('/', '<wbr>/')}</code> <span class="about">${escapeHtml(summary)}</span></h3></summary>
<div class="route" id="${id}">
${description === undefined ? '' : `<p>${withCode(description)}</p>`}
<h4>Credentials</h4>
<p>${writeSecurity(operation.security ?? [])}</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4>\n${asYaml(parameters)}`}
${requestBody === undefined ? '' : `<h4>Request body</h4>\n${asYaml(requestBody)}`}
<h4>Responses</h4>
${asYaml(own)}
${problems.length === 0 ? '' : `<p>${problems.map(([status]) => `<code>${escapeHtml(status)}</code>`).join(', ')}: a <a href="#problems">problem</a>.</p>`}
<p>Link to this route: <a href="#${id}">#${id}</a></p>
</div>
</details>`;
}

function writeSecurity(alternatives: NonNullable<Operation['security']>): string {
  const named = alternatives.flatMap((alternative) =>
    Object.entries(alternative).map(([key, scopes]) => {
      const link = `<a href="#${credentialId(key)}">${credentialName(key)}</a>`;
      return scopes.length === 0 ? link : `${link} with the scope <code>${escapeHtml(scopes.join(' '))}</code>`;
    }),
  );
  if (named.length === 0) return 'None.';
  const none = alternatives.some((alternative) => Object.keys(alternative).length === 0);
  return `${named.join(', or ')}${none ? ', or none' : ''}.`;
}

/** A part of the document as text. */
const asYaml = (part: unknown): string =>
  `<pre><code>${escapeHtml(stringify(part, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd())}</code></pre>`;

/** A description as HTML: what is between backticks is code. */
const withCode = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** The logo, as in apps/web/src/ui/wordmark.tsx. */
const NOTES =
  'M4.6 4.4C4.5.9 10.6.9 10.6 4.4c1.4 12 4 19.6 11.6 25 3.2 2.5.8 6.3-2.7 5.1C9.2 30.7 5.2 20.6 4.6 4.4z' +
  'M22.4 13.4c-.1-3.5 6-3.5 6 0 1.2 9.8 3.4 16.2 10 20.8 3.2 2.5.8 6.3-2.7 5.1-8.9-3.2-12.8-12-13.3-25.9z';
