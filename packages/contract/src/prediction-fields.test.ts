import { describe, expect, it } from 'vitest';
import { accountSettingsSchema } from './identity/account-bodies.ts';
import { predictionFieldsSchema } from './prediction-fields.ts';

function messageOf(fields: Record<string, unknown>): string | undefined {
  const read = predictionFieldsSchema.safeParse(fields);
  return read.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}

describe('The schema of the fields sent with a recording', () => {
  it('reads numbers and switches from the text fields of a form', () => {
    const fields = {
      latitude: '52.52',
      longitude: ' -0.1 ',
      placeSource: 'file',
      timeZone: ' Europe/Berlin ',
      date: '2026-05-01',
      language: 'de',
      minScore: '0.4',
      top: '3',
      overlapSeconds: '1.5',
      keepAudio: 'moments',
    };
    expect(predictionFieldsSchema.parse(fields)).toEqual({
      latitude: 52.52,
      longitude: -0.1,
      placeSource: 'file',
      timeZone: 'Europe/Berlin',
      date: '2026-05-01',
      language: 'de',
      minScore: 0.4,
      top: 3,
      overlapSeconds: 1.5,
      keepAudio: 'moments',
    });
  });

  it('treats an empty field as absent', () => {
    expect(
      predictionFieldsSchema.parse({ latitude: '', longitude: '', placeSource: '', timeZone: ' ', date: ' ', top: '' }),
    ).toEqual({});
  });

  it.each(['2026-05-01T23:59:00-05:00', '2026-05-01T00:10:00Z', '2026-05-01T00:10', '2026-05-01T00:10:00'])(
    'takes the date of %s as written, in whatever time zone the program runs',
    (date) => {
      expect(predictionFieldsSchema.parse({ date }).date).toBe('2026-05-01');
    },
  );

  it.each([
    [{ latitude: '90.01', longitude: '0' }, 'latitude must be a number from -90 to 90'],
    [{ latitude: '52,5', longitude: '0' }, 'latitude must be a number from -90 to 90'],
    [{ latitude: 'Infinity', longitude: '0' }, 'latitude must be a number from -90 to 90'],
    [{ latitude: '0x10', longitude: '0' }, 'latitude must be a number from -90 to 90'],
    [{ latitude: '1', longitude: '181' }, 'longitude must be a number from -180 to 180'],
    [{ latitude: '1' }, 'longitude is required with latitude'],
    [{ longitude: '1' }, 'latitude is required with longitude'],
    [{ latitude: '1', longitude: '1', placeSource: 'assumed' }, 'placeSource must be stated or file'],
    [{ placeSource: 'file' }, 'placeSource needs latitude and longitude'],
    [{ timeZone: 'x'.repeat(101) }, 'timeZone is too long'],
    [{ date: '2026-02-30' }, 'date must be a date such as 2026-05-01'],
    [{ date: '01.05.2026' }, 'date must be a date such as 2026-05-01'],
    [{ language: '../en' }, 'language must be a language code such as en or de'],
    [{ minScore: '1.1' }, 'minScore must be a number from 0 to 1'],
    [{ top: '0' }, 'top must be a whole number from 1 to 100'],
    [{ top: '2.5' }, 'top must be a whole number from 1 to 100'],
    [{ overlapSeconds: '3' }, 'overlapSeconds must be a number from 0 to 2.9'],
    [{ keepAudio: 'everything' }, 'keepAudio must be nothing, moments, shortRecording or recording'],
  ])('refuses %j and says what is wrong', (fields, message) => {
    expect(messageOf(fields)).toBe(message);
  });

  it.each(['nothing', 'moments', 'shortRecording', 'recording'])('accepts %s as audio retention', (keepAudio) => {
    expect(predictionFieldsSchema.parse({ keepAudio })).toEqual({ keepAudio });
    expect(accountSettingsSchema.parse({ keepAudio })).toEqual({ keepAudio });
  });

  it.each(['Mars/Olympus', 'UTC', 'europe/berlin', '../etc/passwd', '🦜'])(
    'accepts %s as a time zone, known or not',
    (timeZone) => {
      expect(predictionFieldsSchema.parse({ timeZone })).toEqual({ timeZone });
    },
  );

  it('names every field that is wrong', () => {
    expect(messageOf({ minScore: '2', top: 'many' })).toBe(
      'minScore must be a number from 0 to 1; top must be a whole number from 1 to 100',
    );
  });
});
