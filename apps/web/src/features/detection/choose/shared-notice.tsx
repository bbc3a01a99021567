import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { takeShared } from '../../../platform/storage/shared-recordings.ts';
import { Notice } from '../../../ui/notice.tsx';

/** Adds recordings that another app has shared with the installed page. */
export function useSharedRecordings(onFiles: (files: readonly File[]) => void): void {
  useEffect(() => {
    takeShared()
      .then((files) => files.length > 0 && onFiles(files))
      .catch(() => {}); // a browser that refuses storage has stored none
  }, [onFiles]);
}

const sentences = {
  empty: 'choose.shared.empty',
  failed: 'choose.shared.failed',
  unavailable: 'choose.shared.unavailable',
} as const;
const isSentence = (outcome: string | null): outcome is keyof typeof sentences => outcome !== null && outcome in sentences;

/** Explains why nothing that another app shared is among the chosen recordings. */
export function SharedNotice() {
  const { t } = useTranslation();
  const [parameters] = useSearchParams();
  const outcome = parameters.get('shared');
  // Otherwise no element at all: an empty one would add a gap to the form.
  return isSentence(outcome) ? <Notice tone="information" title={t(sentences[outcome])} /> : null;
}
