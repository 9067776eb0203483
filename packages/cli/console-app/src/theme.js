// The theme and the rows that were chosen, before the first paint.
try {
  const theme = localStorage.getItem('batchlatch-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  if (localStorage.getItem('batchlatch-rows') === 'dense') document.documentElement.dataset['rows'] = 'dense';
} catch {
  // Storage is blocked: the system's theme, and comfortable rows.
}
