import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { OutboxFactsJson, RowsJson, ShownRowJson } from '../api-types.ts';
import { get } from '../api/client.ts';
import { overview } from '../api/live.ts';
import { session } from '../api/session.ts';
import { useFresh } from '../api/use-fresh.ts';
import { useRequest } from '../api/use-request.ts';
import { Since } from '../parts/age.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { useAddress } from '../state/address.ts';
import { useStore } from '../state/store.ts';
import { counted } from '../text/numbers.ts';
import { ROW_STATES, rowsHref } from '../text/row-words.ts';
import { shown } from '../text/shown.ts';
import { countText } from '../text/words.ts';
import { RowTabs } from './outbox/row-tabs.tsx';
import { RowsBar } from './outbox/rows-bar.tsx';
import { RowsTable } from './outbox/rows-table.tsx';

/** How many rows the first page shows, and the most that one can show. */
const FIRST = 100;
const MOST = 1_000;
const EVERY_MS = 5_000;
const NONE: ReadonlyMap<string, ShownRowJson> = new Map();

/** The rows of an outbox that wait for a relay or for a person. */
export function OutboxPage(): JSX.Element {
  const known = useStore(session);
  const facts = useStore(overview)?.outbox;
  if (known === undefined) return <Skeleton lines={6} />;
  return (
    <>
      <h1>Outbox</h1>
      {known.outbox === undefined ? (
        <Notice title="No outbox was named.">
          <p>
            Start the console with <code>--outbox TABLE</code> to see its rows, and to release or drop those
            that are parked.
          </p>
        </Notice>
      ) : (
        <>
          <Facts place={known.outbox} facts={facts} />
          <Rows allowChanges={known.allowChanges} />
        </>
      )}
    </>
  );
}

function Facts({
  place,
  facts,
}: {
  readonly place: string;
  readonly facts: OutboxFactsJson | undefined;
}): JSX.Element {
  if (facts === undefined) return <p class="muted">{shown(place)}</p>;
  const { waiting, parked, oldestWaitingAt, oldestParkedAt, error } = facts;
  if (error !== undefined) {
    return (
      <p class="warning" role="alert">
        The outbox could not be read: {shown(error)} The console tries again by itself.
      </p>
    );
  }
  const rows = waiting.count === 1 ? 'row waits' : 'rows wait';
  return (
    <p>
      In {shown(place)}, <b>{countText(waiting).value}</b> {rows} for the relay
      {oldestWaitingAt !== undefined && (
        <>
          , the oldest for <Since at={oldestWaitingAt} />
        </>
      )}
      ; <b>{countText(parked).value}</b> {parked.count === 1 ? 'is' : 'are'} parked
      {oldestParkedAt !== undefined && (
        <>
          , the oldest for <Since at={oldestParkedAt} />
        </>
      )}
      .
    </p>
  );
}

function Rows({ allowChanges }: { readonly allowChanges: boolean }): JSX.Element {
  const { search } = useAddress();
  const parameters = new URLSearchParams(search);
  const state = ROW_STATES.find((name) => name === parameters.get('state'));
  const type = parameters.get('type') ?? undefined;
  const of = rowsHref(state, type);
  const [limit, setLimit] = useState(FIRST);
  const [selected, setSelected] = useState(NONE);
  const { answer, error, isLoading, again } = useRequest(`${of} ${limit}`, (signal) =>
    get<RowsJson>('outbox', { state, type, limit }, signal),
  );
  useEffect(() => {
    setSelected(NONE);
    setLimit(FIRST);
  }, [of]);
  const isStill = selected.size > 0 || limit > FIRST;
  const follow = useCallback(() => {
    if (!isStill && document.querySelector('dialog[open]') === null) again();
  }, [isStill, again]);
  useFresh(follow, EVERY_MS, isLoading);
  const done = useCallback((): void => {
    setSelected(NONE);
    again();
  }, [again]);
  const rows = answer?.rows ?? [];
  return (
    <>
      <RowTabs state={state} type={type} />
      {type !== undefined && (
        <p role="status">
          Only messages of the type <b>{shown(type)}</b> are shown.{' '}
          <Link href={rowsHref(state)}>Show all types</Link>
        </p>
      )}
      {allowChanges && rows.length > 0 && (
        <RowsBar state={state} type={type} selected={[...selected.values()]} onDone={done} />
      )}
      {error !== undefined && <ErrorNotice error={error} again={again} />}
      {answer === undefined && isLoading && <Skeleton lines={6} />}
      {answer !== undefined && rows.length === 0 && (
        <Notice title={state === 'dropped' ? 'No row was dropped.' : 'No such row waits.'} icon="check" />
      )}
      {rows.length > 0 && (
        <RowsTable
          rows={rows}
          selected={selected}
          allowChanges={allowChanges}
          onSelect={setSelected}
          onDone={done}
        />
      )}
      {answer?.next !== undefined && (
        <div class="read-on">
          <p role="status" class="muted">
            {counted(rows.length, 'row')} so far.
            {limit >= MOST && ' The command line lists more: batchlatch outbox list --all.'}
          </p>
          {limit < MOST && (
            <button type="button" class="button" disabled={isLoading} onClick={() => setLimit(MOST)}>
              Read up to 1,000
            </button>
          )}
        </div>
      )}
    </>
  );
}
