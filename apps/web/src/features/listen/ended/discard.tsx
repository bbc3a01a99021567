import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button.tsx';

interface Properties {
  /** Accessible name that says which recording, if there are several. */
  readonly label?: string;
  readonly onDiscard: () => Promise<void>;
}

/** *Discard*, with a confirmation. */
export function Discard({ label, onDiscard }: Properties) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <Button aria-label={label} onClick={() => setIsAsking(true)}>
        {t('listen.sessions.discard')}
      </Button>
    );
  return (
    <>
      <span role="status">{t('listen.sessions.sure')}</span>
      <Button look="destructive" onClick={() => void onDiscard()}>
        {t('listen.sessions.discardNow')}
      </Button>
      <Button onClick={() => setIsAsking(false)}>{t('action.cancel')}</Button>
    </>
  );
}
