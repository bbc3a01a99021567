import { problems } from '@chiffchaff/contract';

/** Generates `docs/problems.md` from the catalogue. */
export function problemsPage(): string {
  return `# Problems

<!-- Written by \`node apps/server/src/write-pages.ts\` from packages/contract/src/problems.ts; edit that. -->

Every answer that is not 200 is \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\` (the
id of the request, which the log has too), and our \`code\`, \`retryable\` and, where single fields are wrong, \`errors\`
(\`[{field, message}]\`). Branch on \`code\`; \`detail\` is a sentence for people and may change. \`retryable\` says whether the same
request may succeed later.

| Code | Status | Title | Retryable |
|---|---|---|---|
${Object.entries(problems)
  .map(([code, { status, title, retryable }]) => `| \`${code}\` | ${status} | ${title} | ${retryable ? 'yes' : 'no'} |`)
  .join('\n')}
`;
}
