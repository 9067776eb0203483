import { rememberByTab, rememberedByTab } from '../state/stored.ts';

/** The name of the storage item and the channel. Unlike a cookie, both belong to one port. */
const NAME = 'batchlatch-session';
const ANSWER_WITHIN_MS = 300;

type Message = { readonly ask: true } | { readonly secret: string };

/** The secret, if storage is blocked. */
let held: string | undefined;
const waiting = new Set<() => void>();
const tabs = channel();

/** Returns the secret of this page. The tab keeps it on reload, and loses it when it is closed. */
export function tabSecret(): string | undefined {
  return rememberedByTab(NAME) ?? held;
}

/** Stores the secret for this tab. */
export function keepSecret(secret: string): void {
  held = secret;
  rememberByTab(NAME, secret);
  for (const told of waiting) told();
}

/** Forgets a refused secret, unless it was replaced. */
export function forgetSecret(refused: string | undefined): void {
  if (tabSecret() !== refused) return;
  held = undefined;
  rememberByTab(NAME, undefined);
}

/**
 * Asks other open tabs for the secret if there is none. Resolves with the first answer or after a timeout.
 * Keeps a later answer too.
 */
export async function askTabs(): Promise<void> {
  if (tabs === undefined || tabSecret() !== undefined) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      waiting.delete(done);
      resolve();
    };
    waiting.add(done);
    setTimeout(done, ANSWER_WITHIN_MS);
    tell({ ask: true });
  });
}

/** Calls `done` whenever a secret is stored. */
export function onSecret(done: () => void): void {
  waiting.add(done);
}

function tell(message: Message): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has none
  tabs?.postMessage(message);
}

function channel(): BroadcastChannel | undefined {
  try {
    const opened = new BroadcastChannel(NAME);
    opened.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      const secret = tabSecret();
      if ('secret' in data) {
        if (secret === undefined) keepSecret(data.secret);
      } else if (secret !== undefined) tell({ secret });
    });
    return opened;
  } catch {
    return undefined; // storage is blocked
  }
}
