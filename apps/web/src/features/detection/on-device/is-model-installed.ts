import { deviceModel } from '../../../platform/on-device/device-model.ts';

/** Whether recordings can be analysed in this page; waits until this is known. */
export async function isModelInstalled(): Promise<boolean> {
  if (deviceModel.snapshot().kind === 'checking') {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = deviceModel.subscribe(resolve);
    await promise;
    end();
  }
  return deviceModel.snapshot().kind === 'installed';
}
