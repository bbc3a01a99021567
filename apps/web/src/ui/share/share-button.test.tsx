import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render-page.tsx';
import { ShareButton } from './share-button.tsx';

it('The share button opens a dialog with the ways to share, which its button or a press beside it closes', async () => {
  const { user } = renderPage(
    <ShareButton text="A wren." makePicture={() => new Promise(() => {})}>
      <button type="button">Create a link…</button>
    </ShareButton>,
  );
  expect(screen.queryByRole('button', { name: 'Create a link…' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Share' }));
  expect(screen.getByRole('dialog', { name: 'Share result' })).toBeTruthy();
  // Above the picture, which is high: links can be revoked there.
  expect(within(screen.getByRole('dialog')).getAllByRole('button')[1]).toBe(
    screen.getByRole('button', { name: 'Create a link…' }),
  );
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Share' }));
  await user.click(screen.getByRole('heading', { name: 'Share result' }));
  fireEvent.click(screen.getByRole('dialog')); // what a press on the backdrop targets
  expect(screen.queryByRole('dialog')).toBeNull();
});
