import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { type DeviceModelState, deviceModel } from '../platform/on-device/device-model.ts';
import { DeviceModelGate } from './device-model-gate.tsx';

function show(state: DeviceModelState) {
  vi.spyOn(deviceModel, 'snapshot').mockReturnValue(state);
  vi.spyOn(deviceModel, 'terms').mockReturnValue({ licence: '/v1/a/LICENSE', notice: '/v1/b/NOTICE' });
  render(<DeviceModelGate>Listen</DeviceModelGate>);
  return userEvent.setup();
}

const MB = 1024 ** 2;

describe('The prompt for the model on this device', () => {
  it('says how large the download is and what the model may be used for, and downloads it on request', async () => {
    const user = show({ kind: 'absent', bytes: 22 * MB });
    expect(screen.getByText(/non-commercial/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Licence' }).getAttribute('href')).toBe('/v1/a/LICENSE');
    expect(screen.getByRole('link', { name: 'Authors and changes' }).getAttribute('href')).toBe('/v1/b/NOTICE');
    const install = vi.spyOn(deviceModel, 'install').mockResolvedValue();
    await user.click(screen.getByRole('button', { name: 'Download (22 MB)' }));
    expect(install).toHaveBeenCalledOnce();
    expect(screen.queryByText('Listen')).toBeNull();
  });

  it('shows the progress of the download, and cancels it', async () => {
    const user = show({ kind: 'downloading', receivedBytes: 11 * MB, bytes: 22 * MB });
    expect(screen.getByRole('progressbar', { name: 'Downloading' })).toHaveProperty('value', 0.5);
    expect(screen.getByText('11 MB of 22 MB')).toBeTruthy();
    const cancel = vi.spyOn(deviceModel, 'cancel').mockReturnValue();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('keeps the focus where the pressed button was, and announces the download and its end', () => {
    const snapshot = vi.spyOn(deviceModel, 'snapshot').mockReturnValue({ kind: 'absent', bytes: 22 * MB });
    const { rerender } = render(<DeviceModelGate>Listen</DeviceModelGate>);
    screen.getByRole('button', { name: 'Download (22 MB)' }).focus();
    const become = (state: DeviceModelState) => {
      snapshot.mockReturnValue(state);
      rerender(<DeviceModelGate>{`Listen ${state.kind}`}</DeviceModelGate>);
    };
    become({ kind: 'downloading', receivedBytes: 0, bytes: 22 * MB });
    expect(screen.getByRole('status').textContent).toBe('Downloading');
    expect(document.activeElement?.textContent).toContain('0 bytes of 22 MB');
    screen.getByRole('button', { name: 'Cancel' }).focus();
    become({ kind: 'installed', bytes: 22 * MB, hasUpdate: false });
    expect(screen.getByRole('status').textContent).toBe('Ready.');
    expect(document.activeElement?.textContent).toContain('Listen installed');
    // The button that removes it is among the children.
    act(() => (document.activeElement as HTMLElement).blur());
    become({ kind: 'checking' });
    expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Recognition on this device' }));
    become({ kind: 'absent', bytes: 22 * MB });
    expect(screen.getByRole('status').textContent).toBe('Removed from this device.');
  });

  it.each([
    ['connection', /The connection was lost/],
    ['damaged', /damaged/],
    ['full', /enough room/],
    ['notKept', /stores nothing/],
    ['selfTest', /self-test failed/],
  ] as const)('says why the download failed (%s) and what still works', (why, sentence) => {
    show({ kind: 'failed', why, bytes: 22 * MB });
    expect(screen.getByRole('alert').textContent).toMatch(sentence);
    expect(screen.getByText(/You can still upload recordings/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Try again/ }) !== null).toBe(why !== 'selfTest');
  });

  it.each([
    ['insecureContext', /https/],
    ['unsupported', /This browser/],
    ['notOffered', /This server/],
  ] as const)('says why the model is unavailable (%s) and what still works', (why, sentence) => {
    show({ kind: 'unavailable', why });
    expect(screen.getByText(sentence)).toBeTruthy();
    expect(screen.getByText(/You can still upload recordings/)).toBeTruthy();
  });

  it('says that there is no connection, without which nothing can be uploaded either', () => {
    show({ kind: 'unavailable', why: 'offline' });
    expect(screen.getByText(/no connection/)).toBeTruthy();
    expect(screen.queryByText(/You can still upload recordings/)).toBeNull();
  });

  it('is replaced by the feature that needs the model once it is installed', () => {
    show({ kind: 'installed', bytes: 34 * MB, hasUpdate: false });
    expect(screen.getByText('Listen')).toBeTruthy();
  });
});
