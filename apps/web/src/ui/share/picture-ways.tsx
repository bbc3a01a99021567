import { IconDownload, IconShare2 } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFrom } from '../../platform/browser/save-file.ts';
import { Button } from '../button.tsx';
import styles from './share.module.css';

export interface Picture {
  readonly file: File;
  /** The picture's text alternative. */
  readonly description: string;
}

interface Properties {
  /** Called once, on mount. */
  readonly make: () => Promise<Picture>;
}

type Made = { readonly kind: 'making' | 'failed' } | ({ readonly kind: 'made'; readonly url: string } & Picture);

/** Shows the picture of a result as it will be sent, and shares or downloads it. */
export function PictureActions({ make }: Properties) {
  const { t } = useTranslation();
  const [made, setMade] = useState<Made>({ kind: 'making' });
  const [isRefused, setIsRefused] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result cannot change while the dialog is open
  useEffect(() => {
    let url: string | null = null;
    let isWanted = true;
    make().then(
      (picture) => {
        if (!isWanted) return;
        url = URL.createObjectURL(picture.file);
        setMade({ kind: 'made', url, ...picture });
      },
      () => isWanted && setMade({ kind: 'failed' }),
    );
    return () => {
      isWanted = false;
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, []);
  if (made.kind !== 'made')
    return (
      <p role="status" className={styles.making}>
        {t(made.kind === 'making' ? 'share.making' : 'share.noPicture')}
      </p>
    );
  const { file, url, description } = made;
  const share = async () => {
    setIsRefused(false);
    try {
      await navigator.share({ files: [file] });
    } catch (error) {
      // Closing the system's share dialog is not a failure.
      setIsRefused(!(error instanceof DOMException && error.name === 'AbortError'));
    }
  };
  return (
    <>
      <img src={url} alt={description} className={styles.picture} />
      <p className={styles.shows}>{t('share.shows')}</p>
      {navigator.canShare?.({ files: [file] }) && (
        <Button look="main" onClick={() => void share()}>
          <IconShare2 aria-hidden="true" />
          {t('share.picture')}
        </Button>
      )}
      {isRefused && <p role="alert">{t('share.refused')}</p>}
      <Button onClick={() => saveFrom(url, file.name)}>
        <IconDownload aria-hidden="true" />
        {t('share.download')}
      </Button>
    </>
  );
}
