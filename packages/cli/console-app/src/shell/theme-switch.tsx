import type { JSX } from 'preact';
import { Icon } from '../parts/icon.tsx';
import { useStore } from '../state/store.ts';
import { setTheme, type Theme, theme } from '../state/theme.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const ICON = { system: 'auto', light: 'sun', dark: 'moon' } as const;
const NAME: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

/** The next of system, light and dark. */
export function nextTheme(): void {
  setTheme(NEXT[theme.get()]);
}

/** Goes from the system's theme to light, to dark, and back. */
export function ThemeSwitch(): JSX.Element {
  const chosen = useStore(theme);
  return (
    <button
      type="button"
      class="button button-plain"
      aria-label={`Theme: ${NAME[chosen]}. Change it`}
      title={`Theme: ${NAME[chosen]}`}
      onClick={nextTheme}
    >
      <Icon name={ICON[chosen]} />
    </button>
  );
}
