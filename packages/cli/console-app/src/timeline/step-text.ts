import { numberText } from '../text/numbers.ts';
import type { TimelineStep } from './timeline-steps.ts';

/** A step in words. */
export function stepText({ what, attempt }: TimelineStep): string {
  const name = `Attempt ${numberText(attempt)}`;
  switch (what) {
    case 'claimed':
      return `${name} claimed the key`;
    case 'taken-over':
      return `${name} took the key over: the one before it died or hung`;
    case 'failed':
      return `${name} failed`;
    case 'parked':
      return `Parked after ${name.toLowerCase()}`;
    case 'completed':
      return `${name} completed`;
    case 'overdue':
      return `${name} is overdue: its lease lapsed`;
    case 'running':
      return `${name} is in progress: its lease is live`;
    case 'redriven':
      return 'Its dead letter was redriven by a person';
    case 'release':
      return 'Released by a person';
    case 'resolve':
      return 'Resolved by a person';
    case 'park':
      return 'Parked by a person';
    case 'forget':
      return 'Forgotten by a person';
  }
}
