import type { DateAndPlace } from '@chiffchaff/survey/metadata';
import { expect, it } from 'vitest';
import type { RequestedConditions } from '../../../platform/sending/requested-conditions.ts';
import {
  changesToNoPlace,
  checkConditions,
  conditionsFor,
  devicePlaceIn,
  draftFor,
  draftOf,
  emptyDraft,
  hasFault,
  placeOf,
  proposalsOf,
  withProposals,
  withTypedName,
} from './conditions-draft.ts';

const dated: DateAndPlace = {
  date: { value: '2026-04-30', from: 'metadata' },
  place: { latitude: 51.23456, longitude: 13 },
};
const silent: DateAndPlace = { date: null, place: null };

it('The form for place and date shows the values that all chosen recordings share, until the user changes them', () => {
  const shown = withProposals(emptyDraft, proposalsOf([dated, dated]), 'en');
  expect(shown).toMatchObject({ date: '2026-04-30', latitude: '51.23', longitude: '13' });
  const own = { ...emptyDraft, isDateOwn: true, isPlaceOwn: true };
  expect(withProposals(own, proposalsOf([dated]), 'en')).toEqual(own);
});

it('The form for place and date keeps each recording’s own value where recordings differ, until the user types one', () => {
  const proposals = proposalsOf([dated, silent]);
  expect(proposals).toEqual({ date: { kind: 'different' }, place: { kind: 'different' } });
  expect(withProposals(emptyDraft, proposals, 'en')).toEqual(emptyDraft);
  const ofFile = { date: '2026-04-30', place: { latitude: 51.23, longitude: 13 }, placeSource: 'file', timeZone: null };
  expect(conditionsFor(emptyDraft, dated)).toEqual(ofFile);
  expect(conditionsFor(emptyDraft, silent)).toMatchObject({ date: null, place: null });
  const typed = { ...emptyDraft, date: '2026-05-02', isDateOwn: true, isPlaceOwn: true };
  expect(conditionsFor(typed, dated)).toMatchObject({ date: '2026-05-02', place: null });
  expect(proposalsOf([])).toEqual({ date: { kind: 'none' }, place: { kind: 'none' } });
});

it('The form for place and date is valid without a place', () => {
  expect(checkConditions(emptyDraft)).toEqual({ placeName: false, date: false, latitude: null, longitude: null });
  expect(hasFault(checkConditions(emptyDraft))).toBe(false);
  expect(placeOf(emptyDraft)).toBeNull();
});

it('The form for place and date requires both coordinates or none', () => {
  expect(checkConditions({ ...emptyDraft, latitude: '50.8' })).toEqual({
    placeName: false,
    date: false,
    latitude: null,
    longitude: { rule: 'required' },
  });
});

it('The form for place and date limits each coordinate to its own range', () => {
  expect(checkConditions({ ...emptyDraft, latitude: '91', longitude: '120' })).toEqual({
    placeName: false,
    date: false,
    latitude: { rule: 'range', min: -90, max: 90 },
    longitude: null,
  });
});

it('The form for place and date is filled from an earlier request', () => {
  const request: RequestedConditions = {
    place: { latitude: 50.8, longitude: -12 },
    placeSource: 'stated',
    timeZone: null,
    date: '2026-05-01',
  };
  expect(placeOf(draftOf(request, '', 'en'))).toEqual(request.place);
  expect(draftOf(request, '', 'en').date).toBe('2026-05-01');
  expect(conditionsFor(draftOf(request, '', 'en'), dated)).toEqual(request);
});

it('The form for place and date refuses a typed place name whose coordinates were not looked up', () => {
  const typed = { ...emptyDraft, placeName: 'Ithaca', latitude: '50.8', longitude: '12.9' };
  expect(checkConditions(typed).placeName).toBe(true);
  expect(hasFault(checkConditions(typed))).toBe(true);
  expect(hasFault(checkConditions({ ...typed, isPlaceNamed: true }))).toBe(false);
  expect(hasFault(checkConditions({ ...typed, placeName: ' ' }))).toBe(false);
});

it('The form for place and date clears the coordinates of a chosen place when its name is cleared', () => {
  const chosen = { ...emptyDraft, placeName: 'Ithaca', isPlaceNamed: true, latitude: '42.44', longitude: '-76.5' };
  expect({ ...chosen, ...withTypedName(chosen, '') }).toEqual({ ...emptyDraft, isPlaceOwn: true });
  const given = { ...chosen, isPlaceNamed: false, placeName: '' };
  expect({ ...given, ...withTypedName(given, 'Ber') }).toEqual({ ...given, placeName: 'Ber' });
});

it('The form for place and date keeps the previous place for new recordings that state no place', () => {
  const ithaca = { kind: 'place', latitude: 42.44, longitude: -76.5, name: 'Ithaca' } as const;
  const kept = draftFor(ithaca, 'Europe/London', 'en');
  expect(withProposals(kept, proposalsOf([silent]), 'en')).toEqual(kept);
  expect(conditionsFor(kept, silent).place).toEqual({ latitude: 42.44, longitude: -76.5 });
  const own = withProposals(kept, proposalsOf([dated]), 'en');
  expect(own).toMatchObject({ placeName: '', isPlaceNamed: false, latitude: '51.23', longitude: '13' });
  expect(conditionsFor(own, dated).place).toEqual({ latitude: 51.23, longitude: 13 });
  const mixed = withProposals(kept, proposalsOf([dated, silent]), 'en');
  expect(conditionsFor(mixed, silent).place).toBeNull();
  expect(conditionsFor(mixed, dated).place).toEqual({ latitude: 51.23, longitude: 13 });
  expect(draftFor(null, null, 'en')).toEqual(emptyDraft);
});

it('The form for place and date assumes a place from the time zone, unless “anywhere” is chosen', () => {
  const timeZone = 'Europe/London';
  const nowhere = { place: null, placeSource: 'stated', date: null };
  const begun = draftFor(null, timeZone, 'en');
  expect(conditionsFor(begun, silent)).toEqual({ ...nowhere, timeZone });
  expect(devicePlaceIn(begun)).toEqual({ kind: 'clock' });
  expect(conditionsFor(withProposals(begun, proposalsOf([dated]), 'en'), dated)).toMatchObject({
    placeSource: 'file',
    timeZone: null,
  });
  const elsewhere = { ...begun, ...changesToNoPlace(null) };
  expect(conditionsFor(elsewhere, dated)).toMatchObject({ place: null, timeZone: null });
  expect(devicePlaceIn(elsewhere)).toEqual({ kind: 'anywhere' });
  expect(draftFor({ kind: 'anywhere' }, timeZone, 'en')).toEqual(emptyDraft);
  expect({ ...elsewhere, ...changesToNoPlace(timeZone) }).toMatchObject({ timeZone, isPlaceOwn: true });
});

it('The form for place and date writes and reads coordinates with the decimal separator of the language', () => {
  const german = withProposals(emptyDraft, proposalsOf([dated]), 'de');
  expect(german).toMatchObject({ latitude: '51,23', longitude: '13' });
  expect(hasFault(checkConditions(german))).toBe(false);
  expect(placeOf(german)).toEqual({ latitude: 51.23, longitude: 13 });
});
