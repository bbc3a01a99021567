import { IconShare2 } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Button } from '../button.tsx';
import dialogStyles from '../dialog.module.css';
import { CopyTextButton } from './copy-text-button.tsx';
import { type Picture, PictureActions } from './picture-ways.tsx';
import styles from './share.module.css';

interface Properties {
  /** The result in words, for copying. */
  readonly text: string;
  /** The result as a picture. */
  readonly makePicture: () => Promise<Picture>;
  /** Further ways to share, below the others; mounted only while the dialog is open. */
  readonly children?: ReactNode;
}

/** The *Share* button and its dialog. */
export function ShareButton(properties: Properties) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <IconShare2 aria-hidden="true" />
        {t('share.button')}
      </Button>
      {isOpen && <ShareDialog {...properties} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function ShareDialog({ text, makePicture, children, onClose }: Properties & { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return createPortal(
    <dialog ref={dialog} className={dialogStyles.dialog} aria-labelledby={titleId} onClose={onClose}>
      <div className={styles.body}>
        <h2 id={titleId}>{t('share.title')}</h2>
        <div className={styles.ways}>
          <PictureActions make={makePicture} />
          <CopyTextButton text={text} />
          {children}
        </div>
        {/* Closing the dialog this way returns the focus to the button that opened it. */}
        <Button className={styles.close} onClick={() => dialog.current?.close()}>
          {t('layout.close')}
        </Button>
      </div>
    </dialog>,
    document.body,
  );
}
