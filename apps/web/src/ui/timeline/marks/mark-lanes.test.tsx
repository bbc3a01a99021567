import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { Mark } from './mark.ts';
import { MarkLanes } from './mark-lanes.tsx';

const mark = (lane: string, startSeconds: number, part: Partial<Mark> = {}): Mark => ({
  id: `${lane}@${startSeconds}`,
  lane,
  label: lane,
  language: undefined,
  review: undefined,
  startSeconds,
  endSeconds: startSeconds + 3,
  description: `at ${startSeconds}`,
  confidence: 0.9,
  isFaint: false,
  isNamed: true,
  aside: null,
  ...part,
});
const named = [mark('Wren', 10), mark('Wren', 30), mark('Robin', 0), mark('Robin', 28), mark('Robin', 60)];
const faint = [mark('Crow', 40, { isNamed: false }), mark('Emu', 50, { isNamed: false, aside: 'not expected here' })];

function show(marks: readonly Mark[], withUnnamed = false) {
  const heard = { onPlay: vi.fn(), onFocus: vi.fn(), onPoint: vi.fn(), onApproach: vi.fn(), onKey: vi.fn() };
  const { onKey, ...handlers } = heard;
  const lanes = (view = { startSeconds: 0, endSeconds: 100 }, shown = marks, all = withUnnamed) => (
    // biome-ignore lint/a11y/noStaticElementInteractions: as the timeline around the lanes, which has keys of its own
    <div onKeyDown={({ key }) => onKey(key)}>
      <button type="button">before</button>
      <MarkLanes
        {...{ marks: shown, withUnnamed: all, view, durationSeconds: 100, soundingIds: [], shownMarks: [] }}
        {...handlers}
      />
      <button type="button">after</button>
    </div>
  );
  return { user: userEvent.setup(), lanes, heard, ...render(lanes()) };
}
const focused = () => document.activeElement?.textContent;
const list = () => screen.getByRole('list', { name: 'Detections, one row for each bird' });

describe('The lanes of the timeline', () => {
  it('are one stop of the Tab key, with arrow keys inside', async () => {
    const { user, heard } = show([...named, ...faint]);
    await user.tab();
    await user.tab();
    expect(focused()).toBe('Wren, at 10');
    await user.keyboard('{ArrowRight}');
    expect(focused()).toBe('Wren, at 30');
    await user.keyboard('{ArrowDown}');
    expect(focused()).toBe('Robin, at 28');
    await user.keyboard('{End}');
    expect(focused()).toBe('Robin, at 60');
    await user.keyboard('{Home}{ArrowUp}');
    expect(focused()).toBe('Wren, at 10');
    await user.keyboard('{ArrowRight}');
    expect(heard.onFocus.mock.lastCall?.[0].id).toBe('Wren@30');
    await user.keyboard('{Enter}');
    await user.keyboard(' ');
    expect(heard.onPlay.mock.calls.map(([played]) => played.id)).toEqual(['Wren@30', 'Wren@30']);
    // The arrow keys would move the playhead; others still reach the timeline.
    await user.keyboard('+');
    expect(heard.onKey.mock.calls.flat().filter((key) => key !== 'Tab')).toEqual(['Enter', ' ', '+']);
    await user.tab();
    expect(focused()).toBe('after');
    // Back to where it was.
    await user.tab({ shift: true });
    expect(focused()).toBe('Wren, at 30');
  });

  it('keep the focus on a detection that moves out of view', async () => {
    const { user, lanes, rerender } = show(named);
    await user.tab();
    await user.tab();
    rerender(lanes({ startSeconds: 80, endSeconds: 90 }));
    expect(focused()).toBe('Wren, at 10');
    expect(within(list()).queryByRole('button', { name: /Robin ?, at 28/ })).toBeNull();
    await user.keyboard('{ArrowDown}');
    expect(focused()).toBe('Robin, at 0');
  });

  it('keep the focus inside when the focused detection disappears, and take it at no other time', async () => {
    const { user, lanes, rerender } = show(named);
    rerender(lanes(undefined, named.slice(1)));
    expect(document.activeElement).toBe(document.body);
    await user.tab();
    await user.tab();
    rerender(lanes(undefined, named.slice(2)));
    expect(focused()).toBe('Robin, at 0');
  });

  it('show the birds that the verdict names, and the others on request', () => {
    const { lanes, rerender } = show([...named, ...faint]);
    const lanesOf = () => within(list()).getAllByRole('listitem');
    const namesOf = () => lanesOf().map((lane) => lane.querySelector('[title]')?.getAttribute('title'));
    expect(namesOf()).toEqual(['Wren', 'Robin']);
    rerender(lanes(undefined, undefined, true));
    expect(namesOf()).toEqual(['Wren', 'Robin', 'Crow', 'Emu · not expected here']);
    rerender(lanes(undefined, undefined, false));
    expect(namesOf()).toEqual(['Wren', 'Robin']);
  });

  it('have no row if the verdict names no bird', () => {
    const { lanes, rerender } = show(faint);
    expect(screen.queryByRole('list')).toBeNull();
    rerender(lanes(undefined, undefined, true));
    expect(within(list()).getAllByRole('listitem')).toHaveLength(2);
  });
});
