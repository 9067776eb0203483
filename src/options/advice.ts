import type { Advice } from './check-options.ts';
import { peerAdvice } from './peer-options.ts';

/** Names ours where the option is one of Powertools, sqs-consumer or middy, and else the nearest. */
export const advice: Advice = (name, known) => {
  const ours = peerAdvice(name, known);
  if (ours !== undefined) return ours;
  const nearest = known.toSorted((a, b) => distance(a, name) - distance(b, name))[0] as string;
  const isNear = distance(nearest.toLowerCase(), name.toLowerCase()) <= Math.max(2, name.length / 3);
  return isNear ? `did you mean \`${nearest}\`?` : `known options are ${known.join(', ')}`;
};

/** Levenshtein's: how many characters have to be put in, left out or replaced. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] as number) + (to[at] === from[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
