import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../platform/browser/copy-text.ts';
import { Button } from '../button.tsx';
import styles from './share.module.css';

/** Copies a text to the clipboard; where the browser does not allow that, shows it for copying by hand. */
export function CopyTextButton({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  return (
    <>
      <Button onClick={() => void copyText(text).then((copied) => setOutcome(copied ? 'copied' : 'failed'))}>
        <IconCopy aria-hidden="true" />
        {t('share.copyText')}
      </Button>
      <span role="status" className={styles.copied}>
        {outcome === null ? '' : t(`share.${outcome}`)}
      </span>
      {outcome === 'failed' && <textarea aria-label={t('share.text')} className={styles.text} readOnly rows={6} value={text} />}
    </>
  );
}
