import { rememberByTab, rememberedByTab } from '../state/stored.ts';

/** The name in the storage, and of the channel. Both belong to one scheme, host and port, which a cookie does not. */
const NAME = 'batchlatch-session';
const ANSWER_WITHIN_MS = 300;

type Message = { readonly ask: true } | { readonly secret: string };

/** Holds where storage is blocked. */
let held: string | undefined;
const waiting = new Set<() => void>();
const tabs = channel();

/** The secret that lets this page in. The tab keeps it when it is loaded again, and loses it when it is closed. */
export function tabSecret(): string | undefined {
  return rememberedByTab(NAME) ?? held;
}

/** Keeps it for this tab. */
export function keepSecret(secret: string): void {
  held = secret;
  rememberByTab(NAME, secret);
  for (const told of waiting) told();
}

/** Forgets a secret that was refused, unless there is another by now. */
export function forgetSecret(refused: string | undefined): void {
  if (tabSecret() !== refused) return;
  held = undefined;
  rememberByTab(NAME, undefined);
}

/**
 * Asks the other open tabs of this console for the secret, if there is none. Resolves when there is one, or when none has
 * answered in time; a later answer is kept too.
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

/** Calls `done` each time a secret is kept. */
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
