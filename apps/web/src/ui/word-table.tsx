import type { WordEvidence } from '@chiffchaff/contract';
import { useTranslation } from '../languages/i18n.ts';
import { formatPercent } from '../platform/format/format.ts';
import { type ConfidenceWords, useWords } from '../platform/format/words.ts';

interface Column {
  readonly title: string;
  readonly textOf: (row: ConfidenceWords['thresholds'][number]) => string;
}

/** A table with a row for each confidence word. */
export function WordTable({
  className,
  columns,
}: {
  readonly className: string | undefined;
  readonly columns: readonly Column[];
}) {
  const { t } = useTranslation();
  const { thresholds } = useWords();
  return (
    <table className={className}>
      <thead>
        <tr>
          <th scope="col">{t('about.word')}</th>
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {thresholds.map((row) => (
          <tr key={row.word}>
            <th scope="row">{t(`word.${row.word}`)}</th>
            {columns.map(({ title, textOf }) => (
              <td key={title} data-label={title}>
                {textOf(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How often a word was right in tests, in words; a dash where it was never said. */
export function useRightOf() {
  const { t, i18n } = useTranslation();
  return (words: readonly WordEvidence[]) =>
    (wanted: Pick<WordEvidence, 'word'>): string => {
      const { right = 0, of = 0 } = words.find(({ word }) => word === wanted.word) ?? {};
      return of === 0 ? '–' : t('about.rightOfValue', { right, of, share: formatPercent(right / of, i18n.language) });
    };
}
