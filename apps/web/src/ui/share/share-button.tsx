import { IconCopy, IconDownload, IconShare2 } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../platform/browser/copy-text.ts';
import { saveFrom } from '../../platform/browser/save-file.ts';
import { Button } from '../button.tsx';
import { Modal } from '../modal.tsx';
import styles from './share.module.css';

interface Properties {
  /** The result in words, for copying. */
  readonly text: string;
  /** The result as a picture. */
  readonly makePicture: () => Promise<Picture>;
  /** Further ways to share, above the others; mounted only while the dialog is open. */
  readonly children?: ReactNode;
}

/** The *Share* button and its dialog. */
export function ShareButton({ text, makePicture, children }: Properties) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon={IconShare2} aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {t('share.button')}
      </Button>
      {isOpen && (
        <Modal title={t('share.title')} onClose={() => setIsOpen(false)}>
          {children}
          <div className={`stack-tight ${children ? 'parted' : ''}`}>
            <PictureActions make={makePicture} />
            <CopyTextButton text={text} />
          </div>
        </Modal>
      )}
    </>
  );
}

/** Copies a text to the clipboard; where the browser does not allow that, shows it for copying by hand. */
function CopyTextButton({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  return (
    <>
      <Button icon={IconCopy} onClick={() => void copyText(text).then((copied) => setOutcome(copied ? 'copied' : 'failed'))}>
        {t('share.copyText')}
      </Button>
      <span role="status" className="soft unless-empty">
        {outcome === null ? '' : t(`share.${outcome}`)}
      </span>
      {outcome === 'failed' && <textarea aria-label={t('share.text')} className={styles.text} readOnly rows={6} value={text} />}
    </>
  );
}

interface Picture {
  readonly file: File;
  /** The picture's text alternative. */
  readonly description: string;
}

interface PictureActionsProperties {
  /** Called once, on mount. */
  readonly make: () => Promise<Picture>;
}

type Made = { readonly kind: 'making' | 'failed' } | ({ readonly kind: 'made'; readonly url: string } & Picture);

/** Shows the picture of a result as it will be sent, and shares or downloads it. */
function PictureActions({ make }: PictureActionsProperties) {
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
      <p role="status" className={`soft small ${styles.making}`}>
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
      <p className="soft small">{t('share.shows')}</p>
      {navigator.canShare?.({ files: [file] }) && (
        <Button icon={IconShare2} look="main" onClick={() => void share()}>
          {t('share.picture')}
        </Button>
      )}
      {isRefused && <p role="alert">{t('share.refused')}</p>}
      <Button icon={IconDownload} onClick={() => saveFrom(url, file.name)}>
        {t('share.download')}
      </Button>
    </>
  );
}
