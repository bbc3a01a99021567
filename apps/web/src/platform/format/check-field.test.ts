import { describe, expect, it } from 'vitest';
import { checkField, readNumber, writeNumber } from './check-field.ts';

describe('The check of a text field (`checkField`)', () => {
  it('refuses a required field that is empty after trimming', () => {
    expect(checkField('  \t', { required: true })).toEqual({ rule: 'required' });
    expect(checkField('', {})).toBeNull();
  });

  it('measures the length of the text without surrounding spaces', () => {
    expect(checkField('  abc  ', { minLength: 4 })).toEqual({ rule: 'minLength', limit: 4 });
    expect(checkField('  abc  ', { minLength: 3, maxLength: 3 })).toBeNull();
    expect(checkField(' abcd ', { maxLength: 3 })).toEqual({ rule: 'maxLength', limit: 3 });
  });

  it('measures the length with surrounding spaces if these count', () => {
    expect(checkField('      ', { required: true, untrimmed: true, minLength: 6 })).toBeNull();
    expect(checkField(' abc ', { untrimmed: true, minLength: 6 })).toEqual({ rule: 'minLength', limit: 6 });
    expect(checkField('', { required: true, untrimmed: true })).toEqual({ rule: 'required' });
  });

  it.each(['x', '1e', '12,3,4', 'Infinity'])('refuses %o as a number', (text) => {
    expect(checkField(text, { numeric: true })).toEqual({ rule: 'numeric' });
  });

  it('accepts both bounds of a range of numbers', () => {
    const latitude = { numeric: true, min: -90, max: 90 };
    expect(checkField('-90', latitude)).toBeNull();
    expect(checkField('90', latitude)).toBeNull();
    expect(checkField('90.01', latitude)).toEqual({ rule: 'range', min: -90, max: 90 });
  });

  it('reads a decimal comma as a decimal point', () => {
    expect(readNumber(' 50,8 ')).toBe(50.8);
    expect([writeNumber(-1250.8, 'de'), writeNumber(-1250.8, 'en')]).toEqual(['-1250,8', '-1250.8']);
    expect(checkField('50,8', { numeric: true, min: 50, max: 51 })).toBeNull();
  });
});
