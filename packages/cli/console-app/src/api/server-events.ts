import { apiPath, open } from './client.ts';

/** An event that the server sent. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** A server without news writes a comment every 15 seconds. */
const LONGEST_SILENCE_MS = 45_000;

/**
 * Listens to the server's events until the connection ends. `EventSource` sends no header, and so no
 * secret. Rejects with an `ApiError` where the server refuses, and with any error where the connection
 * breaks, or is silent: a stopped process and a lost network leave it open.
 */
export async function listen(signal: AbortSignal, onEvent: (event: ServerEvent) => void): Promise<void> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal.addEventListener('abort', end);
  let silence = setTimeout(end, LONGEST_SILENCE_MS);
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(end, LONGEST_SILENCE_MS);
  };
  try {
    const { body } = await open(apiPath('events'), { signal: ended.signal });
    if (body !== null) await readEvents(body, heard, onEvent);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onChunk();
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (name !== undefined && data !== undefined) onEvent({ name, data });
    }
  }
}
