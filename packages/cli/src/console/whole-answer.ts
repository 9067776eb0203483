import { Buffer } from 'node:buffer';
import { toJson } from './json.ts';

/** A response with its whole body. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function jsonAnswer(status: number, value: unknown): WholeAnswer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers, body: Buffer.from(toJson(value)) };
}

export function textAnswer(status: number, text: string): WholeAnswer {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return { status, headers, body: Buffer.from(`${text}\n`) };
}
