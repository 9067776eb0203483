import { apiPath, open } from './client.ts';

/** An event that the server sent. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/**
 * Listens to the server's events until the connection ends. `EventSource` sends no header, and so no
 * secret. Rejects with an `ApiError` where the server refuses, and with any error where the connection
 * breaks.
 */
export async function listen(signal: AbortSignal, onEvent: (event: ServerEvent) => void): Promise<void> {
  const { body } = await open(apiPath('events'), { signal });
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
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
