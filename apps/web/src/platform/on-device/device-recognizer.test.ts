import { expect, it } from 'vitest';
import { openDeviceRecognizer } from './device-recognizer.ts';

it('Opening the recogniser on this device (`openDeviceRecognizer`) fails if the model is not on the device', async () => {
  await expect(openDeviceRecognizer()).rejects.toThrow('not on this device');
});
