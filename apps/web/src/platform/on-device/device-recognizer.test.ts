import { expect, it } from 'vitest';
import { openDeviceRecognizer } from './device-recognizer.ts';

it('says that the model is not there', async () => {
  await expect(openDeviceRecognizer()).rejects.toThrow('not on this device');
});
