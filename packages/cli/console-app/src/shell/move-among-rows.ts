const ROWS = 'main table.claims-table tbody tr:not(.rows-left-out)';

/** Moves the focus to the link of the next row, or of the one before. False without rows. */
export function moveAmongRows(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? rows[step > 0 ? 0 : rows.length - 1] : (rows[at + step] ?? rows[at]);
  const target =
    next?.querySelector<HTMLElement>('th a') ?? next?.querySelector<HTMLElement>('a, button, input');
  if (target === null || target === undefined) return false;
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Selects the focused row, or clears its selection. Returns false if no row has the focus. */
export function selectRow(): boolean {
  const row = document.activeElement?.closest(ROWS);
  const box = row?.querySelector<HTMLInputElement>('input[type=checkbox]');
  box?.click();
  return box !== null && box !== undefined;
}
