import { jsonIn } from '../../claims/row-format.ts';
import type { SqlAnswer } from './pool.ts';
import { numberIn } from './row.ts';

/**
 * Reads the answer of a statement that was to write the rows of `asked` keys: returns whether a stored
 * key was written. The statement lists keys only if it wrote fewer rows, so that the usual answer is
 * short for any batch.
 */
export function writtenIn({ rows }: SqlAnswer, asked: number): (stored: string) => boolean {
  const [answer] = rows;
  if (numberIn(answer?.['count']) === asked) return () => true;
  const keys = jsonIn(answer?.['keys']);
  const written = new Set(Array.isArray(keys) ? keys : []);
  return (stored) => written.has(stored);
}
