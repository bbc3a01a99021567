import { expect, it } from 'vitest';
import { nothingKnown } from '../sending/requested-conditions.ts';
import { openDeviceRecognizer, reconsiderationOf } from './device-recognizer.ts';

it('Opening the recogniser on this device (`openDeviceRecognizer`) fails if the model is not on the device', async () => {
  await expect(openDeviceRecognizer()).rejects.toThrow('not on this device');
});

it('A recording analysed on this device is judged by the week of its date, or over the whole year without a date', () => {
  const question = { ...nothingKnown, language: null };
  expect(reconsiderationOf({ ...question, date: '2026-05-01' })).toMatchObject({ date: '2026-05-01', week: 17 });
  expect(reconsiderationOf(question)).not.toHaveProperty('week');
});
