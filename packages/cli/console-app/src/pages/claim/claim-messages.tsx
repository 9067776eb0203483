import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ClaimJson, MessagesOfClaimJson } from '../../api-types.ts';
import { type ApiError, post } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { asApiError } from '../../api/use-request.ts';
import { messageHref } from '../../filters/claim-filter.ts';
import { Ago } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { askToRedrive } from '../../redrive/redrive-request.ts';
import { useStore } from '../../state/store.ts';
import { counted } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';

type OfQueue = MessagesOfClaimJson['queues'][number];

/**
 * The messages of a claim in the dead-letter queues. A look counts as a receive, so a person asks for it. For
 * a claim that waits for its message, the look goes on to the redrive.
 */
export function ClaimMessages({
  claim: { key, releasedAt },
  onDone,
}: {
  readonly claim: ClaimJson;
  readonly onDone: () => void;
}): JSX.Element {
  const known = useStore(session);
  const [found, setFound] = useState<MessagesOfClaimJson>();
  const [error, setError] = useState<ApiError>();
  const [isLooking, setLooking] = useState(false);
  const isWaiting = releasedAt !== undefined;
  const isRedrive = isWaiting && known?.allowChanges === true;
  if (known?.queues.every(({ isDeadLetter }) => !isDeadLetter) ?? true) {
    return (
      <>
        {isWaiting && (
          <p class="muted small">
            Start the console with <code>--queue NAME</code> or <code>--dlq NAME</code> to redrive its message
            from here.
          </p>
        )}
      </>
    );
  }
  const redrive = ({ queue, messages }: OfQueue): void =>
    askToRedrive({ queue, which: messages.map(({ messageId }) => messageId), onDone: done });
  // The button is not disabled meanwhile: it would lose the focus.
  const look = async (): Promise<void> => {
    if (isLooking) return;
    setError(undefined);
    setLooking(true);
    try {
      const answer = await post<MessagesOfClaimJson>('dead-letters/of-claim', { key });
      setFound(answer);
      const [only, ...others] = answer.queues.filter(({ messages }) => messages.length > 0);
      if (isRedrive && only !== undefined && others.length === 0) redrive(only);
    } catch (caught) {
      setError(asApiError(caught));
    }
    setLooking(false);
  };
  function done(): void {
    setFound(undefined);
    onDone();
  }
  return (
    <div class="claim-messages">
      <button
        type="button"
        class={isRedrive ? 'button button-primary' : 'button'}
        onClick={() => void look()}
      >
        {isLooking ? 'Looking…' : isRedrive ? 'Redrive its message…' : 'Look for its message'}
      </button>
      <div role="status">
        {found?.queues.map((each) => (
          <Found
            key={each.queue}
            found={each}
            onRedrive={known?.allowChanges === true ? () => redrive(each) : undefined}
          />
        ))}
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}

function Found({
  found: { queue, messages, looked, isWhole, error },
  onRedrive,
}: {
  readonly found: OfQueue;
  readonly onRedrive: (() => void) | undefined;
}): JSX.Element {
  if (error !== undefined) {
    return (
      <p class="warning">
        {shown(queue)} could not be read: {shown(error)}
      </p>
    );
  }
  if (messages.length === 0) {
    return (
      <p>
        Not among the {isWhole ? '' : 'first '}
        {counted(looked, 'message')} of <Link href={messageHref(queue)}>{shown(queue)}</Link>.
      </p>
    );
  }
  return (
    <>
      {messages.map(({ messageId, sentAt }) => (
        <p key={messageId}>
          <Link href={messageHref(queue, messageId)}>
            <span class="mono">{shown(messageId)}</span>
          </Link>{' '}
          is in {shown(queue)}, sent <Ago at={sentAt} />.
        </p>
      ))}
      {onRedrive !== undefined && (
        <button type="button" class="button" onClick={onRedrive}>
          Redrive {counted(messages.length, 'message')}…
        </button>
      )}
    </>
  );
}
