import leven from 'leven';
import type { Advice } from './check-options.ts';
import { peerAdvice } from './peer-options.ts';

/** Names ours where the option is one of Powertools, sqs-consumer or middy, and else the nearest. */
export const advice: Advice = (name, known) => {
  const ours = peerAdvice(name, known);
  if (ours !== undefined) return ours;
  const nearest = known.toSorted((a, b) => leven(a, name) - leven(b, name))[0] as string;
  const isNear = leven(nearest.toLowerCase(), name.toLowerCase()) <= Math.max(2, name.length / 3);
  return isNear ? `did you mean \`${nearest}\`?` : `known options are ${known.join(', ')}`;
};
