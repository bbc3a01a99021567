// The theme that was chosen on the page, where it is kept: apps/web/src/platform/storage/preferences.ts. Anything else follows the system.
try {
  const { theme } = JSON.parse(localStorage.getItem('preferences')) ?? {};
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // No storage, or a damaged one.
}
