// The theme that was chosen, before the first paint.
try {
  const theme = localStorage.getItem('batchlatch-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
} catch {
  // Storage is blocked: the system's theme.
}
