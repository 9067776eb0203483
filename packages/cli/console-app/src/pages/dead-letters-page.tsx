import type { JSX } from 'preact';
import { overview } from '../api/live.ts';
import { session } from '../api/session.ts';
import { Link } from '../parts/link.tsx';
import { Notice, Skeleton } from '../parts/notice.tsx';
import { useAddress } from '../state/address.ts';
import { useStore } from '../state/store.ts';
import { numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { messageHref } from '../filters/claim-filter.ts';
import { LettersOfQueue } from './dead-letters/letters-of-queue.tsx';

/** Messages of dead-letter queues beside their claims. */
export function DeadLettersPage(): JSX.Element {
  const { search } = useAddress();
  const known = useStore(session);
  const told = useStore(overview)?.queues ?? [];
  const queues = known?.queues.filter(({ isDeadLetter }) => isDeadLetter) ?? [];
  const parameters = new URLSearchParams(search);
  const asked = parameters.get('queue') ?? '';
  const message = parameters.get('message') ?? '';
  const queue = queues.find(({ name, url }) => name === asked || url === asked) ?? queues[0];
  const waitingOf = (url: string): number | undefined => told.find((each) => each.url === url)?.waiting;
  return (
    <>
      <h1 class="page-title">Dead letters</h1>
      {known === undefined && <Skeleton lines={6} />}
      {known !== undefined && queues.length === 0 && <NoQueues />}
      {queues.length > 1 && (
        <nav aria-label="Dead-letter queues">
          <ul class="tabs">
            {queues.map(({ name, url }) => (
              <li key={url}>
                <Link
                  href={messageHref(name, message)}
                  aria-current={url === queue?.url ? 'true' : undefined}
                >
                  {shown(name)}
                  {waitingOf(url) !== undefined && (
                    <span class="tab-count">{numberText(waitingOf(url) ?? 0)}</span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {asked !== '' && queue !== undefined && asked !== queue.name && asked !== queue.url && (
        <p class="warning">The console was not started with the dead-letter queue {shown(asked)}.</p>
      )}
      {queue !== undefined && (
        <LettersOfQueue
          key={`${queue.url} ${message}`}
          queue={queue.name}
          message={message}
          waiting={waitingOf(queue.url)}
          allowChanges={known?.allowChanges ?? false}
        />
      )}
    </>
  );
}

function NoQueues(): JSX.Element {
  return (
    <Notice title="No dead-letter queue was named.">
      <p>
        Start the console with <code>--dlq NAME</code> to see its messages beside their claims, and to redrive
        them.
      </p>
    </Notice>
  );
}
