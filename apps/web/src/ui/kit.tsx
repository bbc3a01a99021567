import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Input.layer.css';
import '@mantine/core/styles/Combobox.layer.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { usePreferences } from '../platform/preferences.ts';

const theme = createTheme({ fontFamily: 'inherit', fontFamilyMonospace: 'inherit', headings: { fontFamily: 'inherit' } });

const darkDevice = window.matchMedia('(prefers-color-scheme: dark)');
const followDevice = (listener: () => void) => {
  darkDevice.addEventListener('change', listener);
  return () => darkDevice.removeEventListener('change', listener);
};

/** Ground for parts of the component kit: our light or dark, nothing of its own in the browser's storage. */
export function Kit({ children }: { readonly children: ReactNode }) {
  const { theme: chosen } = usePreferences();
  const isDarkDevice = useSyncExternalStore(followDevice, () => darkDevice.matches);
  const scheme = chosen === 'system' ? (isDarkDevice ? 'dark' : 'light') : chosen;
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme}>
      {children}
    </MantineProvider>
  );
}
