import type { PredictionSummary } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { storedPredictionsKey } from '../../../platform/api/use-stored-predictions.ts';
import { formatDate, formatList } from '../../../platform/format/format.ts';
import { useAccountApi } from '../../../platform/session/session-context.tsx';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import styles from './choose.module.css';

/** Larger files are not read completely for this check. */
const MOST_BYTES = 64_000_000;

async function hashOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The account's latest prediction for a file; null while none is known. Browsers offer hashes in secure contexts only, so elsewhere there
 * is no check.
 */
function useSentBefore(file: File): PredictionSummary | null {
  const { openHttp, localId } = useAccountApi();
  const { data } = useQuery({
    queryKey: storedPredictionsKey(localId, 'sentBefore', file.name, String(file.size), String(file.lastModified)),
    enabled: localId !== null && file.size > 0 && file.size <= MOST_BYTES && window.isSecureContext === true,
    async queryFn({ signal }) {
      const [http, sha256, { findSentBefore }] = await Promise.all([
        openHttp(),
        hashOf(file),
        import('../../../platform/api/stored-predictions.ts'),
      ]);
      return findSentBefore(http, sha256, signal);
    },
    // Only a convenience.
    retry: false,
  });
  return data ?? null;
}

/**
 * Says that this file was sent before, and offers the earlier prediction. Belongs in the form: its button submits the form, and the form's
 * own button is hidden.
 */
export function SentBefore({ file }: { readonly file: File }) {
  const { t, i18n } = useTranslation();
  const before = useSentBefore(file);
  if (before === null) return null;
  const date = formatDate(before.createdAt, i18n.language, { dateStyle: 'long' });
  const { elsewhere } = before.verdict;
  const birds = [
    ...(elsewhere ? [`${elsewhere.commonName} ${t('history.elsewhere')}`] : []),
    ...before.species.map(({ commonName }) => commonName),
  ];
  return (
    <div role="status" className={styles.sentBefore}>
      <Notice tone="information" title={t('choose.sentBefore', { date })}>
        {birds.length > 0 && <p>{t('choose.heardThen', { birds: formatList(birds, i18n.language) })}</p>}
        <p>
          <Link to={`/history/${encodeURIComponent(before.id)}`} className="button">
            {t('choose.openAnswer')}
          </Link>{' '}
          <Button type="submit">{t('choose.analyzeAgain')}</Button>
        </p>
      </Notice>
    </div>
  );
}
