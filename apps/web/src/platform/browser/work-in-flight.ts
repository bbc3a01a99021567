import { createStore, useStore } from './store.ts';

/** Whether a recording is being sent or analysed, which loading the page again would lose: what would do that asks first. */
export const workInFlight = createStore(false);

export const useIsWorking = (): boolean => useStore(workInFlight);
