import { createStore } from './store.ts';

/** Whether a recording is being sent or analysed. A reload would lose it, so the page asks before it reloads. */
export const workInFlight = createStore(false);
