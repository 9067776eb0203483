/** Focuses the page if the focused element is gone, for screen readers and the Tab key. */
export function keepFocus(): void {
  const { activeElement } = document;
  if (activeElement !== null && activeElement !== document.body) return;
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}
