import { useTranslation } from 'react-i18next';
import { useStore } from '../../../platform/browser/store.ts';
import { formatBytes } from '../../../platform/format/format.ts';
import { deviceModel } from '../../../platform/on-device/device-model.ts';
import { Button } from '../../../ui/button.tsx';
import { DeviceModelGate, DownloadButton, ModelTerms } from '../../../ui/device-model-gate.tsx';
import { Section } from './section.tsx';

/** The model on this device: whether it is installed, its size, and how to remove it. */
export function DeviceModelSection() {
  const { t, i18n } = useTranslation();
  const state = useStore(deviceModel);
  return (
    <Section title={t('device.title')}>
      <DeviceModelGate>
        {state.kind === 'installed' && (
          <>
            <p>{t('device.installed', { size: formatBytes(state.bytes, i18n.language) })}</p>
            {state.hasUpdate && <DownloadButton bytes={state.bytes} label="update" />}
            <p>
              <Button onClick={() => void deviceModel.remove()}>{t('device.remove')}</Button>
            </p>
            <ModelTerms />
          </>
        )}
      </DeviceModelGate>
    </Section>
  );
}
