// The theme chosen in the web app, which apps/web/src/platform/storage/preferences.ts stores. Anything else follows the system.
try {
  const { theme } = JSON.parse(localStorage.getItem('preferences')) ?? {};
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is unavailable or damaged.
}
