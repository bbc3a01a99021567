import { cloneElement, type ReactElement } from 'react';

interface Properties {
  /** `About <docs>the API</docs>`: tags are not nested. */
  readonly text: string;
  /** The element around the words of each tag, by the tag's name. */
  readonly tags: { readonly [name: string]: ReactElement };
}

/** A text in which some words are links. */
export function RichText({ text, tags }: Properties) {
  // By turns: plain words, a tag's name, the words in it.
  return text.split(/<(\w+)>(.*?)<\/\1>/).map((part, at, parts) => {
    const tag = at % 3 === 2 ? tags[parts[at - 1] ?? ''] : undefined;
    if (at % 3 === 1) return null;
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are told by their place
    return tag ? cloneElement(tag, { key: at }, part) : part;
  });
}
