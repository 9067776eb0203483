import { escapeControls } from '../../../src/text/escape-controls.ts';
import { laidOutJson } from './json-layout.ts';

/** Returns a foreign text that is safe to show: invisible characters become `\u001B`. */
export function shown(text: unknown): string {
  return escapeControls(typeof text === 'string' ? text : String(text));
}

/** Returns a body or a result that is safe to show. JSON is laid out, with all digits of its numbers. */
export function shownBody(text: string): string {
  return (laidOutJson(text) ?? text)
    .split('\n')
    .map((line) => line.split('\t').map(escapeControls).join('\t'))
    .join('\n');
}
