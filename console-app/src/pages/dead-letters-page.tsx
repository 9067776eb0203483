import type { JSX } from 'preact';

/** Messages of dead-letter queues beside their claims. */
export function DeadLettersPage(): JSX.Element {
  return <h1>Dead letters</h1>;
}
