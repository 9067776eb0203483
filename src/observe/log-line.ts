import { escapeUnseen } from './json-lines.ts';

/** Returns a log line in the form of `jsonLines()`. */
export function logLine(
  at: number,
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: object,
): string {
  return escapeUnseen(JSON.stringify({ timestamp: new Date(at).toISOString(), level, message, ...fields }));
}
