import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import type { PeekJson } from '../../api-types.ts';
import { post } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { messageHref } from '../../filters/claim-filter.ts';
import { Link } from '../../parts/link.tsx';
import { ErrorNotice, Notice, Skeleton } from '../../parts/notice.tsx';
import { askToRedrive } from '../../redrive/redrive-request.ts';
import { counted } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { LettersTable } from './letters-table.tsx';
import { shownText } from './shown-text.ts';

/** How many messages the first look shows, and the most that one can show. */
const FIRST = 50;
const MOST = 500;

/** The messages of one dead-letter queue, and what can be done to them. */
export function LettersOfQueue({
  queue,
  message,
  waiting,
  allowChanges,
}: {
  readonly queue: string;
  /** The id of the only message to show, or of its record; empty for all. */
  readonly message: string;
  readonly waiting: number | undefined;
  readonly allowChanges: boolean;
}): JSX.Element {
  const [look, setLook] = useState({ limit: message === '' ? FIRST : MOST, scan: false });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { answer, error, isLoading, again } = useRequest(JSON.stringify([queue, look]), (signal) =>
    post<PeekJson>('dead-letters/peek', { queue, ...look }, signal),
  );
  const toggle = useCallback((messageId: string): void => {
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(messageId)) after.add(messageId);
      return after;
    });
  }, []);
  const looked = answer?.messages ?? [];
  const messages =
    message === ''
      ? looked
      : looked.filter(({ messageId, recordId }) => messageId === message || recordId === message);
  const done = (): void => {
    setSelected(new Set());
    again();
  };
  const total = answer?.total ?? waiting ?? 0;
  return (
    <>
      <div class="bulk" role="group" aria-label={`Messages of ${shown(queue)}`}>
        <span role="status" class="bulk-count">
          {isLoading ? 'Looking…' : shownText(messages.length, answer?.total ?? waiting)}
        </span>
        <span class="bulk-buttons">
          <button type="button" class="button" disabled={isLoading} onClick={again}>
            Look again
          </button>
          {allowChanges && (
            <>
              <button
                type="button"
                class="button"
                disabled={selected.size === 0}
                onClick={() => askToRedrive({ queue, which: [...selected], onDone: done })}
              >
                {selected.size === 0 ? 'Redrive selected…' : `Redrive ${selected.size} selected…`}
              </button>
              <button
                type="button"
                class="button button-primary"
                disabled={messages.length === 0 && total === 0}
                onClick={() => askToRedrive({ queue, which: 'all', onDone: done })}
              >
                Redrive all…
              </button>
            </>
          )}
        </span>
      </div>
      {error !== undefined && <ErrorNotice error={error} again={again} />}
      {answer === undefined && isLoading && <Skeleton lines={6} />}
      {answer !== undefined && looked.length === 0 && (
        <Notice title={`${shown(queue)} is empty.`} icon="check">
          {answer.total > 0 && (
            <p>Somebody else may have received its messages at the moment. Look again in a while.</p>
          )}
        </Notice>
      )}
      {answer !== undefined && message !== '' && looked.length > 0 && (
        <OneMessage queue={queue} message={message} isFound={messages.length > 0} looked={looked.length} />
      )}
      {answer !== undefined && <NotWhole peek={answer} onScan={() => setLook({ ...look, scan: true })} />}
      {messages.length > 0 && (
        <LettersTable
          queue={queue}
          messages={messages}
          selected={selected}
          allowChanges={allowChanges}
          onToggle={toggle}
          onSelectAll={(all) => setSelected(new Set(all ? messages.map(({ messageId }) => messageId) : []))}
          onDone={done}
        />
      )}
      {answer !== undefined && !answer.isWhole && look.limit < MOST && looked.length >= look.limit && (
        <div class="read-on">
          <button
            type="button"
            class="button"
            disabled={isLoading}
            onClick={() => setLook({ ...look, limit: Math.min(look.limit * 2, MOST) })}
          >
            Show more messages
          </button>
        </div>
      )}
      <p class="muted small">
        A look hides messages for a moment while the others are read, and counts as a receive. Nothing is
        changed by it.
      </p>
    </>
  );
}

function OneMessage({
  queue,
  message,
  isFound,
  looked,
}: {
  readonly queue: string;
  readonly message: string;
  readonly isFound: boolean;
  readonly looked: number;
}): JSX.Element {
  return (
    <p role="status">
      {isFound ? 'Only the message ' : `Not among ${counted(looked, 'message')}: `}
      <span class="mono">{shown(message)}</span>
      {isFound ? ' is shown.' : '.'} <Link href={messageHref(queue)}>Show all messages</Link>
    </p>
  );
}

function NotWhole({
  peek,
  onScan,
}: {
  readonly peek: PeekJson;
  readonly onScan: () => void;
}): JSX.Element | null {
  return (
    <>
      {peek.parkedRead?.isWhole === false && (
        <div class="warning">
          <p>Not all parked claims were searched, so claims of these messages may be missing.</p>
          <button type="button" class="button" onClick={onScan}>
            Search the whole table
          </button>
        </div>
      )}
      {peek.stillHidden > 0 && (
        <p class="warning">
          {counted(peek.stillHidden, 'message')} will appear again only after 30 seconds, because SQS could
          not be told.
        </p>
      )}
    </>
  );
}
