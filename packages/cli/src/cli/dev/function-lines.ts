import type { FunctionError } from '../../dev/functions/ipc-messages.ts';
import type { BuildMessage } from '../../dev/functions/function-build.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** Escapes a line that a function printed. Tabs stay: they are part of Lambda's log format. */
export function shownLine(text: string): string {
  return text.split('\t').map(escapeControls).join('\t');
}

/** Returns the error in one line: `TypeError: no such order`. */
export function shownError({ errorType, errorMessage }: FunctionError): string {
  return escapeControls(`${errorType}: ${errorMessage}`.replace(/\s*\n\s*/g, ' '));
}

/** Returns the lines of build errors: place, message and source line. */
export function shownMessages(messages: readonly BuildMessage[]): string[] {
  return messages.flatMap(({ text, place, line }) => [
    `  ${place === undefined ? '' : `${escapeControls(place)}: `}${escapeControls(text)}`,
    ...(line === undefined ? [] : [`    ${shownLine(line).trim()}`]),
  ]);
}
