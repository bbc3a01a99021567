import './platform/browser/without-eval.ts';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { App } from './app.tsx';
import { chooseLanguage, startI18n } from './languages/i18n.ts';
import { createConnection } from './platform/browser/connection.ts';
import { hasShownScreen } from './platform/browser/store.ts';
import { outboxPage } from './platform/outbox/outbox-page.ts';
import { createPageSession } from './platform/session/page-session.ts';
import { preferences } from './platform/storage/preferences.ts';
import { mayHaveDatabase } from './platform/storage/registry.ts';
import './ui/look.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');

const page = createPageSession(createConnection(), import.meta.url);
page.session.start();
outboxPage.current = page;

await startI18n(chooseLanguage(preferences.snapshot().language, navigator.languages));
// In a transition, React renders in slices, and a slow phone can respond to touch in between.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <BrowserRouter>
        <App {...page} />
      </BrowserRouter>
    </StrictMode>,
  ),
);

/** Starts the outbox if an earlier visit has created it. A device that has never used it fetches nothing. */
async function startOutboxIfUsed(): Promise<void> {
  // On plain http the browser offers no storage for audio, so nothing was ever added.
  if (window.isSecureContext && (await mayHaveDatabase('outbox'))) await import('./platform/outbox/outbox.ts');
}

/** Our own fonts, which reading does not wait for, come after the first screen: on a slow phone, they would delay it. */
function fetchFontsAfterScreen(): void {
  const fetchFonts = () => void import('./ui/own-fonts.css').catch(() => {});
  const whenIdle = () => {
    stop();
    if ('requestIdleCallback' in window) window.requestIdleCallback(fetchFonts, { timeout: 2000 });
    else setTimeout(fetchFonts, 200);
  };
  const stop = hasShownScreen.subscribe(whenIdle);
  if (hasShownScreen.snapshot()) whenIdle();
}

// Runs after load, so that it takes nothing from what is on screen.
const afterLoad = () => {
  void page.worker.start();
  startOutboxIfUsed().catch(() => {}); // waiting recordings are sent at the next visit
  fetchFontsAfterScreen();
};
if (document.readyState === 'complete') afterLoad();
else window.addEventListener('load', afterLoad, { once: true });
