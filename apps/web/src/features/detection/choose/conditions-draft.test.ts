import { expect, it } from 'vitest';
import {
  checkConditions,
  conditionsFor,
  draftFor,
  draftOf,
  emptyDraft,
  hasFault,
  placeOf,
  proposalsOf,
  withProposals,
  withTypedName,
} from './conditions-draft.ts';
import type { RecordingMetadata } from './recording-metadata/read-recording-metadata.ts';

const dated: RecordingMetadata = {
  date: { value: '2026-04-30', from: 'metadata' },
  place: { latitude: 51.23456, longitude: 13 },
};
const silent: RecordingMetadata = { date: null, place: null };

it('shows what all recordings say alike, until somebody says otherwise', () => {
  const shown = withProposals(emptyDraft, proposalsOf([dated, dated]), 'en');
  expect(shown).toMatchObject({ date: '2026-04-30', latitude: '51.23', longitude: '13' });
  const own = { ...emptyDraft, isDateOwn: true, isPlaceOwn: true };
  expect(withProposals(own, proposalsOf([dated]), 'en')).toEqual(own);
});

it('lets each recording count with its own words where they differ, and a typed word count for all', () => {
  const proposals = proposalsOf([dated, silent]);
  expect(proposals).toEqual({ date: { kind: 'different' }, place: { kind: 'different' } });
  expect(withProposals(emptyDraft, proposals, 'en')).toEqual(emptyDraft);
  expect(conditionsFor(emptyDraft, dated)).toEqual({ date: '2026-04-30', place: { latitude: 51.23, longitude: 13 } });
  expect(conditionsFor(emptyDraft, silent)).toEqual({ date: null, place: null });
  const typed = { ...emptyDraft, date: '2026-05-02', isDateOwn: true, isPlaceOwn: true };
  expect(conditionsFor(typed, dated)).toEqual({ date: '2026-05-02', place: null });
  expect(proposalsOf([])).toEqual({ date: { kind: 'none' }, place: { kind: 'none' } });
});

it('needs no place at all', () => {
  expect(checkConditions(emptyDraft)).toEqual({ placeName: false, latitude: null, longitude: null });
  expect(hasFault(checkConditions(emptyDraft))).toBe(false);
  expect(placeOf(emptyDraft)).toBeNull();
});

it('needs both coordinates or none', () => {
  expect(checkConditions({ ...emptyDraft, latitude: '50.8' })).toEqual({
    placeName: false,
    latitude: null,
    longitude: { rule: 'required' },
  });
});

it('bounds each coordinate by its own range', () => {
  expect(checkConditions({ ...emptyDraft, latitude: '91', longitude: '120' })).toEqual({
    placeName: false,
    latitude: { rule: 'range', min: -90, max: 90 },
    longitude: null,
  });
});

it('reads back what was asked before', () => {
  const request = { place: { latitude: 50.8, longitude: -12 }, date: '2026-05-01' };
  expect(placeOf(draftOf(request, '', 'en'))).toEqual(request.place);
  expect(draftOf(request, '', 'en').date).toBe('2026-05-01');
  expect(draftOf(null, '', 'en')).toEqual(emptyDraft);
  expect(conditionsFor(draftOf(request, '', 'en'), dated)).toEqual(request);
});

it('takes no name for a place before it has coordinates of its own', () => {
  const typed = { ...emptyDraft, placeName: 'Ithaca', latitude: '50.8', longitude: '12.9' };
  expect(checkConditions(typed).placeName).toBe(true);
  expect(hasFault(checkConditions(typed))).toBe(true);
  expect(hasFault(checkConditions({ ...typed, isPlaceNamed: true }))).toBe(false);
  expect(hasFault(checkConditions({ ...typed, placeName: ' ' }))).toBe(false);
});

it('lets the coordinates of a chosen place go with its name, but not others', () => {
  const chosen = { ...emptyDraft, placeName: 'Ithaca', isPlaceNamed: true, latitude: '42.44', longitude: '-76.5' };
  expect({ ...chosen, ...withTypedName(chosen, '') }).toEqual({ ...emptyDraft, isPlaceOwn: true });
  const given = { ...chosen, isPlaceNamed: false, placeName: '' };
  expect({ ...given, ...withTypedName(given, 'Ber') }).toEqual({ ...given, placeName: 'Ber' });
});

it('keeps the place of before for recordings that say nothing of theirs', () => {
  const kept = draftFor({ latitude: 42.44, longitude: -76.5 }, 'Ithaca', 'en');
  expect(withProposals(kept, proposalsOf([silent]), 'en')).toEqual(kept);
  expect(conditionsFor(kept, silent).place).toEqual({ latitude: 42.44, longitude: -76.5 });
  const own = withProposals(kept, proposalsOf([dated]), 'en');
  expect(own).toMatchObject({ placeName: '', isPlaceNamed: false, latitude: '51.23', longitude: '13' });
  expect(conditionsFor(own, dated).place).toEqual({ latitude: 51.23, longitude: 13 });
  const mixed = withProposals(kept, proposalsOf([dated, silent]), 'en');
  expect(conditionsFor(mixed, silent).place).toBeNull();
  expect(conditionsFor(mixed, dated).place).toEqual({ latitude: 51.23, longitude: 13 });
  expect(draftFor(null, '', 'en')).toEqual(emptyDraft);
});

it('writes coordinates as the language does, and reads them back', () => {
  const german = withProposals(emptyDraft, proposalsOf([dated]), 'de');
  expect(german).toMatchObject({ latitude: '51,23', longitude: '13' });
  expect(hasFault(checkConditions(german))).toBe(false);
  expect(placeOf(german)).toEqual({ latitude: 51.23, longitude: 13 });
});
