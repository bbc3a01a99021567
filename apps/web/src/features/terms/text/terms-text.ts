import type { PublicTerms } from '@chiffchaff/contract';

/** What the deployment's configuration puts into the text. */
export type Blank = keyof PublicTerms | 'retentionDays';

/**
 * The terms in one language. A text may have blanks, `{siteName}`, and links within the site, `[the words](/about)`; everything else
 * is shown as it is.
 */
export interface TermsText {
  /** The whole in a few plain sentences. */
  readonly inShort: readonly string[];
  readonly sections: readonly TermsSection[];
}

export interface TermsSection {
  /** Anchor, the same in every language. */
  readonly id: string;
  readonly title: string;
  /** Paragraphs, and lists where a paragraph would hide what matters. */
  readonly body: readonly (string | { readonly list: readonly string[] })[];
}
