import { expect, it } from 'vitest';
import { openDeviceRecognizer } from './device-recognizer.ts';

it('openDeviceRecognizer throws if the model is not on this device', async () => {
  await expect(openDeviceRecognizer()).rejects.toThrow('not on this device');
});
