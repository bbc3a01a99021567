import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render-page.tsx';
import { ShareButton } from './share-button.tsx';

it('The share button opens a dialog with the ways to share, and closes it', async () => {
  const { user } = renderPage(
    <ShareButton text="A wren." makePicture={() => new Promise(() => {})}>
      <button type="button">Create a link…</button>
    </ShareButton>,
  );
  expect(screen.queryByRole('button', { name: 'Create a link…' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Share' }));
  expect(screen.getByRole('dialog', { name: 'Share result' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Create a link…' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
