import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { type DeviceModelState, deviceModel } from '../../../platform/on-device/device-model.ts';
import { preferences } from '../../../platform/storage/preferences.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { WhereField } from './where-field.tsx';

function open(model: DeviceModelState) {
  vi.spyOn(deviceModel, 'snapshot').mockReturnValue(model);
  const onObstacle = vi.fn();
  const page = renderPage(<WhereField onObstacle={onObstacle} />);
  return { ...page, onObstacle };
}
const installed = { kind: 'installed', bytes: 24e6, hasUpdate: false } as const;

it('The choice where to analyse recordings is not offered in a browser that cannot analyse them', () => {
  open({ kind: 'unavailable', why: 'unsupported' });
  expect(screen.queryByRole('radio')).toBeNull();
});

it('The choice to analyse recordings in the browser is remembered, and says what must be downloaded first', async () => {
  const { user, onObstacle } = open({ kind: 'absent', bytes: 24e6 });
  await user.click(screen.getByRole('radio', { name: 'On this device' }));
  expect(preferences.snapshot().analyzeOnDevice).toBe(true);
  expect(onObstacle).toHaveBeenLastCalledWith(expect.stringContaining('download what it needs first'));
  await user.click(screen.getByRole('radio', { name: 'On the server' }));
  expect(preferences.snapshot().analyzeOnDevice).toBe(false);
});

it('The choice to analyse recordings in the browser holds nothing up once the model is installed, and offers the check for speech', async () => {
  const { user, onObstacle } = open(installed);
  expect(onObstacle).toHaveBeenLastCalledWith(null);
  await user.click(screen.getByRole('checkbox', { name: 'Check for speech before uploading' }));
  expect(preferences.snapshot().checkSpeech).toBe(false);
  preferences.change({ checkSpeech: true });
});

it('The choice to analyse recordings in the browser can be undone even if the browser can no longer analyse them', async () => {
  preferences.change({ analyzeOnDevice: true });
  const { user, onObstacle } = open({ kind: 'unavailable', why: 'insecureContext' });
  expect(onObstacle).toHaveBeenLastCalledWith(expect.stringContaining('can’t analyse recordings itself'));
  await user.click(screen.getByRole('radio', { name: 'On the server' }));
  expect(screen.queryByRole('radio')).toBeNull();
});
