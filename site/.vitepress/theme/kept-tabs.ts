const KEY = 'batchlatch-tabs';

/** Remembers the tabs that a reader chose, and chooses them in every group that has one of that name. */
export function keepTabs(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('.tabs > input')) return;
    const chosen = [target.value, ...kept().filter((name) => name !== target.value)].slice(0, 4);
    localStorage.setItem(KEY, JSON.stringify(chosen));
    chooseKept();
  });
}

/** Checks the tab of each group on the page that was chosen last. */
export function chooseKept(): void {
  const names = kept();
  for (const group of document.querySelectorAll('.tabs')) {
    const inputs = [...group.querySelectorAll<HTMLInputElement>(':scope > input')];
    const name = names.find((candidate) => inputs.some(({ value }) => value === candidate));
    for (const input of inputs) if (input.value === name) input.checked = true;
  }
}

function kept(): string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return []; // no storage, or somebody else's value
  }
}
