/** Where what had the focus is gone, the page has it, and not the document: a screen reader and the Tab key go on from there. */
export function keepFocus(): void {
  const { activeElement } = document;
  if (activeElement !== null && activeElement !== document.body) return;
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}
