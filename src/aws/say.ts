import { builtIn } from '../claims/built-in.ts';

const said = new Set<string>();

/** Once in a process, with NODE_DEBUG=batchlatch. */
export function say(text: string): void {
  if (!said.has(text)) builtIn('node:util').debuglog('batchlatch')(text);
  said.add(text);
}
