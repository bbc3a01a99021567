import { expect, it } from 'vitest';
import { checkConditions, draftOf, emptyDraft, placeOf } from './conditions-draft.ts';

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
  const request = { file: new File([], 'a.wav'), place: { latitude: 50.8, longitude: -12 }, date: '2026-05-01', language: null };
  expect(placeOf(draftOf(request))).toEqual(request.place);
  expect(draftOf(request).date).toBe('2026-05-01');
  expect(draftOf(null)).toEqual(emptyDraft);
});
