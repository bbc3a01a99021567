import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from '../languages/i18n.ts';
import { useStore } from '../platform/browser/store.ts';
import { formatBytes } from '../platform/format/format.ts';
import { type DeviceModelState, deviceModel } from '../platform/on-device/device-model.ts';
import { Button } from './button.tsx';
import styles from './device-model-gate.module.css';
import { Notice } from './notice.tsx';

/** Origin and licence of the model, with links to the texts. */
export function ModelTerms() {
  const { t } = useTranslation();
  const terms = deviceModel.terms();
  return (
    <p className="soft small">
      {t('device.terms')}
      {terms && (
        <>
          {' '}
          <a href={terms.licence} target="_blank" rel="noreferrer">
            {t('about.licence')}
          </a>
          {' · '}
          <a href={terms.notice} target="_blank" rel="noreferrer">
            {t('device.notice')}
          </a>
        </>
      )}
    </p>
  );
}

/** Downloads the model; the label says how large it is. */
export function DownloadButton({ bytes, label }: { readonly bytes: number; readonly label: 'download' | 'again' | 'update' }) {
  const { t, i18n } = useTranslation();
  const size = formatBytes(bytes, i18n.language);
  return (
    <Button icon={IconDownload} look="main" onClick={() => void deviceModel.install()}>
      {t(`device.${label}`, { size })}
    </Button>
  );
}

export function DownloadProgress({ receivedBytes, bytes }: Extract<DeviceModelState, { kind: 'downloading' }>) {
  const { t, i18n } = useTranslation();
  const id = useId();
  const size = (value: number) => formatBytes(value, i18n.language);
  const isTrying = bytes > 0 && receivedBytes >= bytes;
  const text = isTrying ? t('device.trying') : t('device.received', { received: size(receivedBytes), size: size(bytes) });
  return (
    <div className={`stack-tight start ${styles.download}`}>
      <label htmlFor={id}>{t('device.downloading')}</label>
      {/* No value while the duration is unknown. */}
      <progress id={id} max={1} {...(bytes > 0 && !isTrying ? { value: receivedBytes / bytes } : {})} />
      <span className="soft small">{text}</span>
      <Button onClick={() => deviceModel.cancel()}>{t('action.cancel')}</Button>
    </div>
  );
}

/**
 * Offers the model for recognition on this device, or says why there is none; shows `children` once it is installed. What is pressed here
 * disappears with its state, so the focus stays here, and the state is announced.
 */
export function DeviceModelGate({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { kind } = useStore(deviceModel);
  const box = useRef<HTMLDivElement>(null);
  const [[before, now], setKinds] = useState<readonly [DeviceModelState['kind'], DeviceModelState['kind']]>(['checking', kind]);
  if (kind !== now) setKinds([now, kind]);
  const isReady = now === 'installed' && before === 'downloading';
  const [wasInstalled, setWasInstalled] = useState(false);
  const isOrWas = kind === 'installed' || (wasInstalled && kind !== 'downloading');
  if (isOrWas !== wasInstalled) setWasInstalled(isOrWas);
  useEffect(() => {
    // Other states end by themselves, too.
    const isPressed = now === 'downloading' || before === 'downloading' || before === 'installed';
    if (isPressed && document.activeElement === document.body) box.current?.focus();
  }, [before, now]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: no field set, only a name for what has the focus
    <div ref={box} tabIndex={-1} role="group" aria-label={t('device.title')}>
      <p role="status" className="visually-hidden">
        {kind === 'downloading' && t('device.downloading')}
        {isReady && t('device.ready')}
        {wasInstalled && (kind === 'absent' || kind === 'unavailable') && t('device.removed')}
      </p>
      <ModelState>{children}</ModelState>
    </div>
  );
}

function ModelState({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const state = useStore(deviceModel);
  switch (state.kind) {
    case 'installed':
      return children;
    case 'checking':
      return (
        <p role="status" className="soft small">
          {t('device.checking')}
        </p>
      );
    case 'unavailable':
      return (
        <Notice
          tone="information"
          title={t(`device.${state.why}`)}
          {...(state.why === 'offline' ? { onRetry: () => void deviceModel.check() } : {})}
        >
          {state.why !== 'offline' && <p>{t('device.instead')}</p>}
        </Notice>
      );
    case 'absent':
    case 'downloading':
      return (
        <div className="stack-tight start">
          {state.kind === 'absent' && <p>{t('device.offer')}</p>}
          {state.kind === 'absent' ? <DownloadButton bytes={state.bytes} label="download" /> : <DownloadProgress {...state} />}
          <ModelTerms />
        </div>
      );
    case 'failed':
      return (
        <Notice tone="warning" title={t(`device.${state.why}`)} announce>
          <p>{t('device.instead')}</p>
          {state.why !== 'selfTest' && <DownloadButton bytes={state.bytes} label="again" />}
        </Notice>
      );
  }
}
