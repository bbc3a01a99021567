import { useEffect } from 'react';

/** Keeps the screen on if the browser can: a phone that goes to sleep may take the microphone away. */
export function useWakeLock(): void {
  useEffect(() => {
    let isOver = false;
    let lock: WakeLockSentinel | null = null;
    const hold = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      const next = await navigator.wakeLock.request('screen').catch(() => null); // refused on low battery
      if (isOver) void next?.release();
      else lock = next;
    };
    void hold();
    // The browser releases it when the page is hidden.
    const again = () => void hold();
    document.addEventListener('visibilitychange', again);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', again);
      void lock?.release();
    };
  }, []);
}
