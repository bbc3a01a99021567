import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordingTime, utcText } from '../recording-time.ts';
import { bytesOf, chunk, little, utf8, wave, zeros } from '../testing/fake-files.ts';
import { bytesOfBlob } from './bounded-reader.ts';
import { readRecordingMetadata } from './read-recording-metadata.ts';

/** The facts about a recording: names and headers are derived from them, and must lead back to them. */
interface Made {
  readonly epochSeconds: number;
  readonly offsetMinutes: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly temperature: number;
  readonly serial: string;
}

const two = (value: number) => String(value).padStart(2, '0');
const signed = (value: number, digits: number, whole: number) =>
  `${value < 0 ? '-' : '+'}${Math.abs(value)
    .toFixed(digits)
    .padStart(whole + digits + 1, '0')}`;

function written({ epochSeconds, offsetMinutes, latitude, longitude }: Made) {
  const local = new Date((epochSeconds + offsetMinutes * 60) * 1000).toISOString();
  const [date = '', time = ''] = local.slice(0, 19).split('T');
  const ahead = Math.abs(offsetMinutes);
  const sign = offsetMinutes < 0 ? '-' : '+';
  const [hours, minutes] = [Math.floor(ahead / 60), ahead % 60];
  return {
    date,
    time,
    compact: `${date.replaceAll('-', '')}_${time.replaceAll(':', '')}`,
    offset: `${sign}${two(hours)}:${two(minutes)}`,
    short: `${sign}${two(hours)}${two(minutes)}`,
    zone: offsetMinutes === 0 ? 'UTC' : `UTC${sign}${hours}${minutes === 0 ? '' : `:${two(minutes)}`}`,
    dayFirst: date.split('-').reverse().join('/'),
    position: `${signed(latitude, 4, 2)}${signed(longitude, 4, 3)}`,
  };
}

const field = (id: number, text: string) => bytesOf(little(id, 2), little(text.length), text);
const sound = chunk('data', bytesOf(zeros(64)));
type Kind = {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly knows: readonly ('utc' | 'place' | 'temperature' | 'serial')[];
};

/** What each kind of recorder writes. */
const kinds: Readonly<Record<string, (made: Made) => Kind>> = {
  audioMoth: (made) => {
    const { zone, time, dayFirst, compact } = written(made);
    const comment = `Recorded at ${time} ${dayFirst} (${zone}) by AudioMoth ${made.serial} at medium gain while battery was 4.1V and temperature was ${made.temperature.toFixed(1)}C.`;
    const info = chunk('LIST', bytesOf('INFO', chunk('ICMT', utf8(`${comment}\0`))));
    return { name: `${compact}.WAV`, bytes: wave(info, sound), knows: ['utc', 'temperature', 'serial'] };
  },
  oldAudioMoth: ({ epochSeconds }) => ({
    name: `${epochSeconds.toString(16).toUpperCase()}.WAV`,
    bytes: wave(sound),
    knows: ['utc'],
  }),
  songMeter: (made) => {
    const { date, time, offset, compact } = written(made);
    const { latitude, longitude, temperature, serial } = made;
    const position = `WGS84,${Math.abs(latitude).toFixed(4)},${latitude < 0 ? 'S' : 'N'},${Math.abs(longitude).toFixed(4)},${longitude < 0 ? 'W' : 'E'},312`;
    const wamd = bytesOf(
      ...[field(0, '\x01\0'), field(1, 'SM4'), field(2, serial), field(5, `${date} ${time}${offset}`), field(6, position)],
      ...[field(0x11, '\0\x01\xff'), field(0x15, `${temperature.toFixed(2)}C`)],
    );
    return {
      name: `${serial}_${compact}.wav`,
      bytes: wave(sound, chunk('wamd', wamd)),
      knows: ['utc', 'place', 'temperature', 'serial'],
    };
  },
  songMeterMini: (made) => ({ name: `${made.serial}_${written(made).compact}.wav`, bytes: wave(sound), knows: ['serial'] }),
  songMeter2: (made) => ({ name: `${made.serial}_0+1_${written(made).compact}_000.wav`, bytes: wave(sound), knows: ['serial'] }),
  guano: (made) => {
    const { date, time, offset } = written(made);
    const { latitude, longitude, temperature, serial } = made;
    const text = `GUANO|Version: 1.0\nMake: x\nSerial: ${serial}\nTimestamp: ${date}T${time}.123${made.offsetMinutes === 0 ? 'Z' : offset}\nLoc Position: ${latitude.toFixed(4)} ${longitude.toFixed(4)}\nTemperature Ext: ${temperature.toFixed(1)}\n`;
    return { name: 'a.wav', bytes: wave(sound, chunk('guan', utf8(text))), knows: ['utc', 'place', 'temperature', 'serial'] };
  },
  bext: (made) => {
    const { date, time } = written(made);
    return { name: 'ZOOM0001.WAV', bytes: wave(chunk('bext', bytesOf(zeros(320), date, time, zeros(274))), sound), knows: [] };
  },
  swift: (made) => ({
    name: `SWIFT${made.serial}_${written(made).compact}${written(made).short}.wav`,
    bytes: wave(sound),
    knows: ['utc'],
  }),
  barLt: (made) => {
    const { compact, short, position } = written(made);
    return {
      name: `${compact.replace('_', 'T')}${short}_Creek-2_${position}.flac`,
      bytes: bytesOf('fLaC'),
      knows: ['utc', 'place'],
    };
  },
  barLtEarlier: (made) => {
    const { compact, short } = written(made);
    return {
      name: `${compact.replace('_', 'T')}${short}_REC [${made.latitude.toFixed(4)} ${made.longitude.toFixed(4)}].flac`,
      bytes: bytesOf('fLaC'),
      knows: ['utc', 'place'],
    };
  },
  generic: (made) => ({ name: `${written(made).compact}.wav`, bytes: wave(sound), knows: [] }),
  dashed: (made) => {
    const { date, time } = written(made);
    return { name: `site 3 ${date}_${time.replaceAll(':', '-')}.flac`, bytes: bytesOf('fLaC'), knows: [] };
  },
};

const offsets = [0, 60, 120, 330, 345, 570, 630, 720, -60, -210, -240, -300, -480, -570];
const made: fc.Arbitrary<Made> = fc.record({
  epochSeconds: fc.integer({ min: Date.UTC(2016, 1) / 1000, max: Date.UTC(2037, 0) / 1000 }),
  offsetMinutes: fc.constantFrom(...offsets),
  latitude: fc.integer({ min: -899_999, max: 899_999 }).map((value) => value / 10_000),
  longitude: fc.integer({ min: -1_799_999, max: 1_799_999 }).map((value) => value / 10_000),
  temperature: fc.integer({ min: -400, max: 550 }).map((value) => value / 10),
  serial: fc.constantFrom('24E144085F256', 'ABCDEF0123456789', '2453AC0263FBF2EB'),
});

it('Names and headers of 3,000 generated recordings of known recorders are read without an error', async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(kinds)), made, async (kind, recording) => {
      const { name, bytes, knows } = kinds[kind]?.(recording) ?? { name: '', bytes: wave(), knows: [] };
      const found = await readRecordingMetadata(name, bytesOfBlob(new Blob([bytes])));
      // For a recorder that does not state its UTC offset, the list of sites gives the zone.
      const { offset, date, time } = written(recording);
      const began = recordingTime(found, knows.includes('utc') ? {} : { timeZone: offset });
      expect(utcText(began ?? { epochMs: null })).toBe(new Date(recording.epochSeconds * 1000).toISOString().replace('.000', ''));
      if (kind !== 'oldAudioMoth') expect([began?.date, began?.time]).toEqual([date, time]);
      const { latitude, longitude } = recording;
      expect(found.place).toEqual(
        knows.includes('place') && (latitude !== 0 || longitude !== 0) ? { latitude, longitude } : null,
      );
      expect(found.temperature).toBe(knows.includes('temperature') ? recording.temperature : null);
      if (knows.includes('serial')) expect(found.recorders).toContain(recording.serial);
      read += 1;
    }),
    { numRuns: 3000 },
  );
  expect(read).toBe(3000);
});
