import './platform/without-eval.ts';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { App } from './app.tsx';
import { createConnection } from './platform/connection.ts';
import { chooseLanguage, startI18n } from './platform/i18n.ts';
import { createPageSession } from './platform/page-session.ts';
import { preferences } from './platform/preferences.ts';
import './ui/look.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');

const page = createPageSession(createConnection());
page.session.start();

// Fetched beside the configuration that the gate waits for, not after it; a failure shows when the screen itself asks again.
if (window.location.pathname === '/process') import('./features/detection/detection-screen.tsx').catch(() => {});

await startI18n(chooseLanguage(preferences.current().language, navigator.languages));
createRoot(root).render(
  <StrictMode>
    <BrowserRouter>
      <App {...page} />
    </BrowserRouter>
  </StrictMode>,
);

// After load, so that keeping the page for later takes nothing from showing it now.
const followWorker = () => void page.worker.start();
if (document.readyState === 'complete') followWorker();
else window.addEventListener('load', followWorker, { once: true });
