import type { FunctionError } from '../../dev/functions/ipc-messages.ts';
import type { BuildMessage } from '../../dev/functions/function-build.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** A line that a function printed, made safe to show. Tabs are part of Lambda's log lines. */
export function shownLine(text: string): string {
  return text.split('\t').map(escapeControls).join('\t');
}

/** `TypeError: no such order`, in one line. */
export function shownError({ errorType, errorMessage }: FunctionError): string {
  return escapeControls(`${errorType}: ${errorMessage}`.replace(/\s*\n\s*/g, ' '));
}

/** The lines of a build's mistakes: where, what, and the source. */
export function shownMessages(messages: readonly BuildMessage[]): string[] {
  return messages.flatMap(({ text, place, line }) => [
    `  ${place === undefined ? '' : `${escapeControls(place)}: `}${escapeControls(text)}`,
    ...(line === undefined ? [] : [`    ${shownLine(line).trim()}`]),
  ]);
}
