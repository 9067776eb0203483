import { createStore } from './store.ts';
import { remember, remembered } from './stored.ts';

/** The choice; `system` follows the system. */
export type Theme = 'system' | 'light' | 'dark';

const NAME = 'batchlatch-theme';

/** The chosen theme. */
export const theme = createStore<Theme>(chosen());

/** Whether the page is dark now. */
export const isDark = createStore(isShownDark());

window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => isDark.set(isShownDark()));

function chosen(): Theme {
  const name = remembered(NAME);
  return name === 'light' || name === 'dark' ? name : 'system';
}

function isShownDark(): boolean {
  const name = theme.get();
  return name === 'system' ? window.matchMedia('(prefers-color-scheme: dark)').matches : name === 'dark';
}

/** Chooses a theme and stores it. */
export function setTheme(name: Theme): void {
  remember(NAME, name === 'system' ? undefined : name);
  if (name === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = name;
  theme.set(name);
  isDark.set(isShownDark());
}
