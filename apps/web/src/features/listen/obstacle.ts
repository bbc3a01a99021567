/**
 * Why this device cannot listen. `insecure`: the address is not https · `unable`: the browser lacks what it takes · `refused`: the person or
 * the system did not allow the microphone · `missing`: there is none · `busy`: another program has it · `recogniser`: the model does not
 * load · `other`: the browser did not say.
 */
export type Obstacle = 'insecure' | 'unable' | 'refused' | 'missing' | 'busy' | 'recogniser' | 'other';

/** What is known before the microphone is asked for; null when nothing stands in the way. */
export function findObstacle(): Obstacle | null {
  if (!window.isSecureContext) return 'insecure';
  const canListen = 'mediaDevices' in navigator && 'AudioWorkletNode' in window && 'Worker' in window && 'locks' in navigator;
  return canListen ? null : 'unable';
}

const names: { readonly [name: string]: Obstacle } = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

/** What a microphone that could not be opened says. */
export const obstacleIn = (error: unknown): Obstacle => (error instanceof DOMException && names[error.name]) || 'other';
