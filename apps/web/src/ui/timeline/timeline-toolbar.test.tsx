import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, it } from 'vitest';
import { loadLaterTexts } from '../../languages/i18n.ts';
import { preferences } from '../../platform/storage/preferences.ts';
import { TimelineToolbar } from './timeline-toolbar.tsx';

beforeAll(loadLaterTexts);

it('The timeline stores its settings on the device, and names the listening aids in use', async () => {
  const nothing = () => {};
  const handlers = { onZoom: nothing, onWhole: nothing, onMaxHz: nothing };
  const shown = { playback: null, trouble: null, hasSound: true, durationSeconds: 60, isWhole: true, hasImage: true };
  render(<TimelineToolbar {...shown} {...handlers} maxHz={12_000} />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Picture and sound' }));
  await user.selectOptions(screen.getByLabelText('Leave out low sounds'), 'below 1,000 Hz');
  await user.selectOptions(screen.getByLabelText('Louder'), '+24 dB');
  await user.click(screen.getByLabelText('Repeat the detection that plays'));
  await user.click(screen.getByLabelText('In colour, yellow on purple'));
  const { listeningAids, spectrogramColours } = JSON.parse(window.localStorage.getItem('preferences') ?? '');
  expect(listeningAids).toEqual({ highPassHz: 1000, gainDecibels: 24, isHalfSpeed: false, isLooped: true });
  expect(spectrogramColours).toBe('viridis');
  expect(screen.getByText('Playback: nothing below 1,000 Hz, +24 dB, repeating')).toBeTruthy();
  preferences.change({ listeningAids: { ...listeningAids, highPassHz: 0, gainDecibels: 0, isLooped: false } });
  preferences.change({ spectrogramColours: 'ink' });
});
