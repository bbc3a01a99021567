import './platform/browser/without-eval.ts';
import './ui/look.css';
import './ui/own-fonts.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ReviewScreen } from './features/review/review-screen.tsx';
import { createReviewApi, createReviewSession } from './features/review/review-session.ts';
import { chooseLanguage, loadLaterTexts, startI18n } from './languages/i18n.ts';

/** The page of `chiffchaff review`, on which people label detections in local recordings, one after the other. */
const root = document.getElementById('root');
if (!root) throw new Error('review.html has no element with the id root');

// The token stays in the address so that the page can be reloaded.
const session = createReviewSession(createReviewApi(window.location.hash.slice(1)));
await startI18n(chooseLanguage(null, navigator.languages));
await loadLaterTexts();
session.start();
createRoot(root).render(
  <StrictMode>
    <ReviewScreen session={session} />
  </StrictMode>,
);
