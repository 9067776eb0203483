import { jsonIn } from '../../claims/row-format.ts';
import type { SqlAnswer } from './pool.ts';
import { numberIn } from './row.ts';

/**
 * Reads the answer of a statement that writes the rows of `asked` keys: `isWritten` of a stored key. The statement counts the rows,
 * and lists their keys only if they are fewer, so that the usual answer is one row however large the batch is.
 */
export function writtenIn({ rows }: SqlAnswer, asked: number): (stored: string) => boolean {
  const [answer] = rows;
  if (numberIn(answer?.['count']) === asked) return () => true;
  const keys = jsonIn(answer?.['keys']);
  const written = new Set(Array.isArray(keys) ? keys : []);
  return (stored) => written.has(stored);
}
