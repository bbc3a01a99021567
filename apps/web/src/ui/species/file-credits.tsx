import type { FileCredits as Credits } from '@chiffchaff/contract';

/** Author, licence and source of a file from Wikimedia Commons, and how it was changed. */
export function FileCredits({ author, licence, licenceUrl, sourceUrl, change }: Credits & { readonly change: string }) {
  const outside = { target: '_blank', rel: 'noopener noreferrer' };
  return (
    <>
      {author === null ? '' : `${author} · `}
      {licenceUrl === null ? (
        licence
      ) : (
        <a href={licenceUrl} {...outside}>
          {licence}
        </a>
      )}
      {' · '}
      <a href={sourceUrl} {...outside}>
        Wikimedia Commons
      </a>
      {` · ${change}`}
    </>
  );
}
