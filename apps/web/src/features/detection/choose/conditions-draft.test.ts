import { expect, it } from 'vitest';
import { checkConditions, conditionsFor, draftOf, emptyDraft, placeOf, proposalsOf, withProposals } from './conditions-draft.ts';
import type { RecordingMetadata } from './recording-metadata/read-recording-metadata.ts';

const dated: RecordingMetadata = {
  date: { value: '2026-04-30', from: 'metadata' },
  place: { latitude: 51.23456, longitude: 13 },
};
const silent: RecordingMetadata = { date: null, place: null };

it('shows what all recordings say alike, until somebody says otherwise', () => {
  const shown = withProposals(emptyDraft, proposalsOf([dated, dated]));
  expect(shown).toMatchObject({ date: '2026-04-30', latitude: '51.23', longitude: '13' });
  const own = { ...emptyDraft, isDateOwn: true, isPlaceOwn: true };
  expect(withProposals(own, proposalsOf([dated]))).toEqual(own);
});

it('lets each recording count with its own words where they differ, and a typed word count for all', () => {
  const proposals = proposalsOf([dated, silent]);
  expect(proposals).toEqual({ date: { kind: 'different' }, place: { kind: 'different' } });
  expect(withProposals(emptyDraft, proposals)).toEqual(emptyDraft);
  expect(conditionsFor(emptyDraft, dated)).toEqual({ date: '2026-04-30', place: { latitude: 51.23, longitude: 13 } });
  expect(conditionsFor(emptyDraft, silent)).toEqual({ date: null, place: null });
  const typed = { ...emptyDraft, date: '2026-05-02', isDateOwn: true, isPlaceOwn: true };
  expect(conditionsFor(typed, dated)).toEqual({ date: '2026-05-02', place: null });
  expect(proposalsOf([])).toEqual({ date: { kind: 'none' }, place: { kind: 'none' } });
});

it('needs no place at all', () => {
  expect(checkConditions(emptyDraft)).toEqual({ latitude: null, longitude: null });
  expect(placeOf(emptyDraft)).toBeNull();
});

it('needs both coordinates or none', () => {
  expect(checkConditions({ ...emptyDraft, latitude: '50.8' })).toEqual({ latitude: null, longitude: { rule: 'required' } });
});

it('bounds each coordinate by its own range', () => {
  expect(checkConditions({ ...emptyDraft, latitude: '91', longitude: '120' })).toEqual({
    latitude: { rule: 'range', min: -90, max: 90 },
    longitude: null,
  });
});

it('reads back what was asked before', () => {
  const request = { place: { latitude: 50.8, longitude: -12 }, date: '2026-05-01' };
  expect(placeOf(draftOf(request))).toEqual(request.place);
  expect(draftOf(request).date).toBe('2026-05-01');
  expect(draftOf(null)).toEqual(emptyDraft);
  expect(conditionsFor(draftOf(request), dated)).toEqual(request);
});
