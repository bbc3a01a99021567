import { IconCopy, IconDownload, IconShare2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useId, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { copyText } from '../../platform/browser/copy-text.ts';
import { saveBlob } from '../../platform/browser/save-file.ts';
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
  const [isCopied, setIsCopied] = useState<boolean | null>(null);
  return (
    <>
      <Button icon={IconCopy} onClick={() => void copyText(text).then(setIsCopied)}>
        {t('share.copyText')}
      </Button>
      <span role="status" className="soft unless-empty">
        {isCopied !== null && t(isCopied ? 'share.copied' : 'share.failed')}
      </span>
      {isCopied === false && <textarea aria-label={t('share.text')} className={styles.text} readOnly rows={6} value={text} />}
    </>
  );
}

interface Picture {
  readonly file: File;
  /** The picture's text alternative. */
  readonly description: string;
}

/** Makes the picture of a result, once. */
function PictureActions({ make }: { readonly make: () => Promise<Picture> }) {
  const { t } = useTranslation();
  const { data: picture, isError } = useQuery({
    queryKey: ['picture', useId()],
    queryFn: make,
    retry: false,
    gcTime: 0,
    staleTime: 'static',
    structuralSharing: false,
  });
  if (picture) return <ShownPicture {...picture} />;
  return (
    <p role="status" className={`soft small ${styles.making}`}>
      {t(isError ? 'share.noPicture' : 'share.making')}
    </p>
  );
}

/** Shows the picture as it will be sent, and shares or downloads it. */
function ShownPicture({ file, description }: Picture) {
  const { t } = useTranslation();
  const [isRefused, setIsRefused] = useState(false);
  const show = useCallback(
    (image: HTMLImageElement) => {
      image.src = URL.createObjectURL(file);
      return () => URL.revokeObjectURL(image.src);
    },
    [file],
  );
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
      <img ref={show} alt={description} className={styles.picture} />
      <p className="soft small">{t('share.shows')}</p>
      {navigator.canShare?.({ files: [file] }) && (
        <Button icon={IconShare2} look="main" onClick={() => void share()}>
          {t('share.picture')}
        </Button>
      )}
      {isRefused && <p role="alert">{t('share.refused')}</p>}
      <Button icon={IconDownload} onClick={() => saveBlob(file.name, file)}>
        {t('share.download')}
      </Button>
    </>
  );
}
