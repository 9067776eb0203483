import { Buffer } from 'node:buffer';
import { jsonAnswer, type WholeAnswer } from '../console/whole-answer.ts';
import type { NotLetIn } from './identity.ts';

/** Returns the answer to a request of somebody who has no identity or no role. */
export function refusal({ operator }: NotLetIn, isApi: boolean): WholeAnswer {
  const message =
    operator === undefined
      ? 'The console does not know who you are. Sign in again.'
      : `You are ${operator}, and have no role on this console. Ask its owner for the role read or operate.`;
  if (isApi) return jsonAnswer(403, { error: { code: 'no-role', message } });
  const html =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>No access</title>' +
    `<h1>No access</h1><p>${escaped(message)}</p></html>\n`;
  return { status: 403, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: Buffer.from(html) };
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
