import type { ComponentChildren, JSX } from 'preact';
import type { OutboxFactsJson, Overview, ParkedKind, QueueFactsJson } from '../../api-types.ts';
import { hrefOf, listHref } from '../../filters/claim-filter.ts';
import { Since } from '../../parts/age.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted } from '../../text/numbers.ts';
import { rowsHref } from '../../text/row-words.ts';
import { shown } from '../../text/shown.ts';
import { durationText, isoOf } from '../../text/times.ts';
import { PARKED_KINDS, PARKED_NAME } from '../../text/words.ts';

/** The claims, messages and rows that wait for a person, with links. */
export function Attention({
  told,
  allowChanges,
}: {
  readonly told: Overview;
  readonly allowChanges: boolean;
}): JSX.Element {
  const { overdue, parked } = told.counts;
  const letters = told.queues.filter(({ isDeadLetter, waiting = 0 }) => isDeadLetter && waiting > 0);
  const rows = told.outbox?.parked.count ?? 0;
  const isUnknown = overdue.count === null || parked.count === null || told.outbox?.error !== undefined;
  const isQuiet = (overdue.count ?? 0) + (parked.count ?? 0) + letters.length + rows === 0;
  return (
    <section aria-labelledby="attention-title" class="panel attention">
      <h2 id="attention-title">Waiting for a person</h2>
      {isQuiet && !isUnknown && <Notice title="Nothing waits for a person." icon="check" />}
      {isQuiet && isUnknown && <Notice title="Parked and overdue claims have not been counted yet." />}
      <ul class="attention-list">
        {(overdue.count ?? 0) > 0 && <Overdue told={told} allowChanges={allowChanges} />}
        {(parked.count ?? 0) > 0 && <Parked told={told} allowChanges={allowChanges} />}
        {letters.map((queue) => (
          <Letters key={queue.url} queue={queue} allowChanges={allowChanges} />
        ))}
        {told.outbox !== undefined && rows > 0 && (
          <ParkedRows outbox={told.outbox} allowChanges={allowChanges} />
        )}
      </ul>
      {told.outbox?.error !== undefined && (
        <p class="warning">The outbox could not be read: {shown(told.outbox.error)}</p>
      )}
    </section>
  );
}

function Overdue({
  told,
  allowChanges,
}: {
  readonly told: Overview;
  readonly allowChanges: boolean;
}): JSX.Element {
  const count = told.counts.overdue.count ?? 0;
  const oldest = told.overdue[0];
  return (
    <Item
      state="overdue"
      href={hrefOf({ state: 'overdue', by: 'prefix', q: '' })}
      action={`${allowChanges ? 'Resolve' : 'See'} overdue claims`}
    >
      <b>{counted(count, 'claim')} overdue</b>
      {oldest !== undefined && (
        <>
          , the oldest for <Since at={isoOf(oldest.sinceMs)} />
        </>
      )}
      . Their process died or hung.
    </Item>
  );
}

/** Parked claims, by the decision that they need where the kinds are known. */
function Parked({
  told,
  allowChanges,
}: {
  readonly told: Overview;
  readonly allowChanges: boolean;
}): JSX.Element {
  const count = told.counts.parked.count ?? 0;
  const kinds = told.statistics?.parkedKinds;
  const isKnown = kinds !== undefined && PARKED_KINDS.reduce((sum, kind) => sum + kinds[kind], 0) === count;
  if (!isKnown) {
    return (
      <Item
        state="parked"
        href={listHref('parked')}
        action={`${allowChanges ? 'Release' : 'See'} parked claims`}
      >
        <b>{counted(count, 'claim')} parked.</b> They wait for somebody to release or resolve them.
      </Item>
    );
  }
  return (
    <>
      {PARKED_FIRST.filter((kind) => kinds[kind] > 0).map((kind) => (
        <Item
          key={kind}
          state="parked"
          href={hrefOf({ state: 'parked', parked: kind, by: 'prefix', q: '' })}
          action={allowChanges ? PARKED_ACTION[kind] : 'See them'}
        >
          <b>
            {counted(kinds[kind], 'claim')} parked: {PARKED_NAME[kind].toLowerCase()}.
          </b>{' '}
          {PARKED_ADVICE[kind]}
        </Item>
      ))}
    </>
  );
}

/** An unknown outcome comes first: somebody may be waiting for work that nobody knows to be done. */
const PARKED_FIRST = ['lapsed', 'done', 'failed', 'attempts'] as const satisfies readonly ParkedKind[];

const PARKED_ADVICE: Readonly<Record<ParkedKind, string>> = {
  lapsed: 'Find out whether the work was done: resolve what was, release what was not.',
  done: 'The work is done, and only its result was not kept. A release runs it a second time.',
  failed: 'Repair the cause, then release them.',
  attempts: 'They crashed or were tried too often. Find the cause, then release them.',
};

const PARKED_ACTION: Readonly<Record<ParkedKind, string>> = {
  lapsed: 'Resolve unknown outcomes',
  done: 'Resolve what is done',
  failed: 'Release what failed for good',
  attempts: 'Release what was tried too often',
};

function Letters({
  queue: { name, waiting = 0, oldestAgeMs },
  allowChanges,
}: {
  readonly allowChanges: boolean;
  readonly queue: QueueFactsJson;
}): JSX.Element {
  const href = `/dead-letters?${new URLSearchParams({ queue: name }).toString()}`;
  return (
    <Item state="queue" href={href} action={`${allowChanges ? 'Redrive' : 'See'} ${shown(name)}`}>
      <b>{counted(waiting, 'message')}</b> in the dead-letter queue <b>{shown(name)}</b>
      {oldestAgeMs !== undefined && <>, the oldest for {durationText(oldestAgeMs)}</>}.
    </Item>
  );
}

function ParkedRows({
  outbox: { parked, oldestParkedAt },
  allowChanges,
}: {
  readonly outbox: OutboxFactsJson;
  readonly allowChanges: boolean;
}): JSX.Element {
  return (
    <Item
      state="parked"
      href={rowsHref('parked')}
      action={`${allowChanges ? 'Release' : 'See'} rows of the outbox`}
    >
      <b>{counted(parked.count ?? 0, 'row')} parked</b> in the outbox
      {oldestParkedAt !== undefined && (
        <>
          , the oldest for <Since at={oldestParkedAt} />
        </>
      )}
      . Each holds its message group until somebody releases or drops it.
    </Item>
  );
}

function Item({
  state,
  href,
  action,
  children,
}: {
  readonly state: 'overdue' | 'parked' | 'queue';
  readonly href: string;
  readonly action: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <li class="attention-item" data-state={state}>
      <Icon name={state} />
      <span>{children}</span>
      <Link href={href} class="button">
        {action}
      </Link>
    </li>
  );
}
