import { escapeControls } from '../../../src/text/escape-controls.ts';
import { laidOutJson } from './json-layout.ts';

/** A text from a store, a queue or a service as it may be shown: what cannot be seen is written as `\u001B`. */
export function shown(text: unknown): string {
  return escapeControls(typeof text === 'string' ? text : String(text));
}

/** A text of many lines, such as a message's body or a result. JSON is laid out, with every digit of its numbers. */
export function shownBody(text: string): string {
  return (laidOutJson(text) ?? text)
    .split('\n')
    .map((line) => line.split('\t').map(escapeControls).join('\t'))
    .join('\n');
}
