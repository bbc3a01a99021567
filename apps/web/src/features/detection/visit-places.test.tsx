import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { devicePlaceOf, keepDevicePlace } from '../../platform/storage/device-place.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { useVisitPlaces } from './visit-places.ts';

const cambridge = { latitude: 52.21, longitude: 0.12 };
const chemnitz = { latitude: 50.84, longitude: 12.93, name: 'Chemnitz' };

/** A form whose coordinates were typed: Cambridge's again, or others. */
function Form() {
  const { nameOf, remember } = useVisitPlaces();
  return (
    <>
      <button type="button" onClick={() => remember({ kind: 'place', ...cambridge, name: '' })}>
        Cambridge’s
      </button>
      <button type="button" onClick={() => remember({ kind: 'place', latitude: 1, longitude: 2, name: '' })}>
        Others
      </button>
      <p>{[nameOf(cambridge), nameOf(chemnitz), nameOf({ latitude: 1, longitude: 2 })].join('; ')}</p>
    </>
  );
}

it('The place kept on this device keeps its name if the same coordinates are entered again, and loses it with others', async () => {
  keepDevicePlace({ kind: 'place', ...cambridge, name: 'Cambridge' }, null);
  const { user } = renderPage(<Form />, { config: { ...fakeConfig, defaultPlace: chemnitz } });
  expect(screen.getByText('Cambridge; Chemnitz;')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Cambridge’s' }));
  expect(devicePlaceOf(null)).toEqual({ kind: 'place', ...cambridge, name: 'Cambridge' });
  await user.click(screen.getByRole('button', { name: 'Others' }));
  expect(devicePlaceOf(null)).toMatchObject({ latitude: 1, name: '' });
  expect(screen.getByText('Cambridge; Chemnitz;')).toBeTruthy();
});
