import type { JSX } from 'preact';
import type { QueueFactsJson } from '../../api-types.ts';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { askToSend } from '../../send/send-request.ts';
import { numberText } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { durationText } from '../../text/times.ts';

/** The queues at a glance. */
export function Queues({
  queues,
  canSend,
}: {
  readonly queues: readonly QueueFactsJson[];
  readonly canSend: boolean;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="queues-title">
      <div class="panel-head">
        <h2 id="queues-title">Queues</h2>
        {canSend && (
          <button type="button" class="button button-small" onClick={() => askToSend({})}>
            Send a message…
          </button>
        )}
      </div>
      {queues.length === 0 ? (
        <Notice title="No queue was named.">
          <p>
            Start the console with <code>--queue NAME</code> to see queues here and to redrive their dead
            letters.
          </p>
        </Notice>
      ) : (
        <table class="table stacked queues-table">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col" class="number">
                Waiting
              </th>
              <th scope="col" class="number">
                In flight
              </th>
              <th scope="col" class="number">
                Delayed
              </th>
              <th scope="col" class="number">
                Oldest
              </th>
              <th scope="col" class="number">
                Noisy groups
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <Queue key={queue.url} queue={queue} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Queue({ queue }: { readonly queue: QueueFactsJson }): JSX.Element {
  const { name, isDeadLetter, waiting, inFlight, delayed, oldestAgeMs, noisyGroups, error } = queue;
  if (error !== undefined) {
    return (
      <tr>
        <th scope="row">{shown(name)}</th>
        <td colSpan={5} class="warning">
          {shown(error)}
        </td>
      </tr>
    );
  }
  return (
    <tr>
      <th scope="row">
        {isDeadLetter ? (
          <Link href={`/dead-letters?${new URLSearchParams({ queue: name }).toString()}`}>{shown(name)}</Link>
        ) : (
          shown(name)
        )}
        {isDeadLetter && (
          <>
            {' '}
            <span class="tag">dead-letter queue</span>
          </>
        )}
      </th>
      <td data-label="Waiting" class={isDeadLetter && (waiting ?? 0) > 0 ? 'number is-parked' : 'number'}>
        {orNothing(waiting, numberText)}
      </td>
      <td data-label="In flight" class="number">
        {orNothing(inFlight, numberText)}
      </td>
      <td data-label="Delayed" class="number">
        {orNothing(delayed, numberText)}
      </td>
      <td data-label="Oldest" class="number">
        {orNothing(oldestAgeMs, durationText)}
      </td>
      <td data-label="Noisy groups" class="number">
        {orNothing(noisyGroups, numberText)}
      </td>
    </tr>
  );
}

function orNothing(value: number | undefined, text: (value: number) => string): string {
  return value === undefined ? '–' : text(value);
}
