import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection, pauseLive } from '../api/live.ts';
import { Dialog } from '../parts/dialog.tsx';
import { goTo } from '../state/address.ts';
import { isDense, setDense } from '../state/rows.ts';
import { searchAsked } from '../state/search-asked.ts';
import { createStore, useStore } from '../state/store.ts';
import { remember, remembered } from '../state/stored.ts';
import { moveAmongRows, selectRow } from './move-among-rows.ts';
import { nextTheme } from './theme-switch.tsx';

const KEYS = [
  { keys: '/', text: 'Search claims' },
  { keys: 'g o', text: 'Go to the overview' },
  { keys: 'g c', text: 'Go to claims' },
  { keys: 'g d', text: 'Go to dead letters' },
  { keys: 'g u', text: 'Go to the outbox' },
  { keys: 'g a', text: 'Go to actions' },
  { keys: 'j', text: 'Go to the next row' },
  { keys: 'k', text: 'Go to the row before' },
  { keys: 'x', text: 'Select the row' },
  { keys: 'r', text: 'Make rows dense, or comfortable' },
  { keys: 'p', text: 'Pause, or go on' },
  { keys: 't', text: 'Change the theme' },
  { keys: '?', text: 'Show the shortcuts' },
] as const;

const PAGES: Readonly<Record<string, string>> = {
  o: '/',
  c: '/claims',
  d: '/dead-letters',
  u: '/outbox',
  a: '/actions',
};
const OFF = 'batchlatch-shortcuts';
/** How long after `g` a second key belongs to it. */
const CHORD_MS = 1_000;

const isOpen = createStore(false);
const isOff = createStore(remembered(OFF) === 'off');

/** Opens the list of shortcuts. */
export function ShortcutsButton(): JSX.Element {
  return (
    <button
      type="button"
      class="button button-plain shortcuts-button"
      aria-label="Keyboard shortcuts"
      title="Keyboard shortcuts"
      onClick={() => isOpen.set(true)}
    >
      ?
    </button>
  );
}

/** Listens to the keys, and shows which there are. */
export function Shortcuts(): JSX.Element | null {
  useEffect(listenToKeys, []);
  const off = useStore(isOff);
  if (!useStore(isOpen)) return null;
  const turn = (isTurnedOff: boolean): void => {
    remember(OFF, isTurnedOff ? 'off' : undefined);
    isOff.set(isTurnedOff);
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => isOpen.set(false)}>
      <dl class="shortcuts">
        {KEYS.map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={!off}
          onChange={({ currentTarget }) => turn(!currentTarget.checked)}
        />
        Shortcuts are on
      </label>
    </Dialog>
  );
}

function listenToKeys(): () => void {
  let chordUntil = 0;
  const listen = (event: KeyboardEvent): void => {
    if (isOff.get() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    const isChord = event.timeStamp < chordUntil;
    chordUntil = event.key === 'g' ? event.timeStamp + CHORD_MS : 0;
    const page = isChord ? PAGES[event.key] : undefined;
    if (page !== undefined) goTo(page);
    else if (!act(event.key)) return;
    event.preventDefault();
  };
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}

/** Whether the key has a meaning. */
function act(key: string): boolean {
  switch (key) {
    case '/':
      searchAsked.set(true);
      return true;
    case 'j':
      return moveAmongRows(1);
    case 'k':
      return moveAmongRows(-1);
    case 'x':
      return selectRow();
    case 'r':
      setDense(!isDense.get());
      return true;
    case 'p':
      pauseLive(connection.get() !== 'paused');
      return true;
    case 't':
      nextTheme();
      return true;
    case '?':
      isOpen.set(true);
      return true;
    default:
      return false;
  }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]')
  );
}
