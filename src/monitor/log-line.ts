import { escapeUnseen } from '../observe/json-lines.ts';

/** A line as `jsonLines()` writes it. */
export function logLine(
  at: number,
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: object,
): string {
  return escapeUnseen(JSON.stringify({ timestamp: new Date(at).toISOString(), level, message, ...fields }));
}
