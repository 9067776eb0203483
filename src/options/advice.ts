import type { Advice } from './check-options.ts';
import { nearestName } from './nearest-name.ts';
import { peerAdvice } from './peer-options.ts';

/** Names ours where the option is one of Powertools, sqs-consumer or middy, and else the nearest. */
export const advice: Advice = (name, known) => peerAdvice(name, known) ?? nearestName(name, known);
