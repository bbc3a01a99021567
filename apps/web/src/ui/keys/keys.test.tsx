import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { preferences } from '../../platform/storage/preferences.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { Keys } from './keys.tsx';
import { keysShown } from './keys-shown.ts';

const list = () => screen.findByRole('dialog', { name: 'Keys' });

it('The list of keys opens on “?”, lists the keys of the timeline, lets the keys of reviews be changed, and closes', async () => {
  const { user } = renderPage(<Keys />);
  await user.keyboard('?');
  expect((await list()).textContent).toContain('Space plays');
  await user.clear(screen.getByLabelText('No'));
  await user.type(screen.getByLabelText('No'), 'k');
  expect(preferences.snapshot().reviewKeys.rejected).toBe('k');
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  preferences.change({ reviewKeys: { ...preferences.snapshot().reviewKeys, rejected: 'n' } });
});

it('The list of keys is not shown by a “?” that is typed into a field, nor once that is turned off in the list', async () => {
  const user = userEvent.setup();
  render(
    <>
      <input aria-label="Place" />
      <Keys />
    </>,
  );
  await user.type(screen.getByLabelText('Place'), '?');
  expect(keysShown.snapshot()).toBe(false);
  preferences.change({ questionMark: false });
  await user.click(document.body);
  await user.keyboard('?');
  expect(keysShown.snapshot()).toBe(false);
  preferences.change({ questionMark: true });
});
