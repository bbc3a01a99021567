import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { type ShareOutcome, takeShared } from '../../../platform/storage/shared-recordings.ts';
import { Notice } from '../../../ui/notice.tsx';

/** Adds recordings that another app has shared with the installed page. */
export function useSharedRecordings(onFiles: (files: readonly File[]) => void): void {
  useEffect(() => {
    takeShared()
      .then((files) => files.length > 0 && onFiles(files))
      .catch(() => {}); // a browser that refuses storage has stored none
  }, [onFiles]);
}

const withoutRecordings = ['empty', 'failed', 'unavailable'] as const satisfies readonly ShareOutcome[];

/** Explains why nothing that another app shared is among the chosen recordings. */
export function SharedNotice() {
  const { t } = useTranslation();
  const [parameters] = useSearchParams();
  const outcome = withoutRecordings.find((one) => one === parameters.get('shared'));
  // Otherwise no element at all: an empty one would add a gap to the form.
  return outcome ? <Notice tone="information" title={t(`choose.shared.${outcome}`)} /> : null;
}
