import type { ComponentChildren, JSX } from 'preact';
import type { Overview, QueueFactsJson } from '../../api-types.ts';
import { hrefOf } from '../../filters/claim-filter.ts';
import { Since } from '../../parts/age.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { durationText, isoOf } from '../../text/times.ts';

/** The claims that wait for a person, with links. */
export function Attention({
  told,
  allowChanges,
}: {
  readonly told: Overview;
  readonly allowChanges: boolean;
}): JSX.Element {
  const { overdue, parked } = told.counts;
  const letters = told.queues.filter(({ isDeadLetter, waiting = 0 }) => isDeadLetter && waiting > 0);
  const isUnknown = overdue.count === null || parked.count === null;
  const isQuiet = (overdue.count ?? 0) + (parked.count ?? 0) + letters.length === 0;
  return (
    <section aria-labelledby="attention-title" class="panel attention">
      <h2 id="attention-title">Waiting for a person</h2>
      {isQuiet && !isUnknown && <Notice title="Nothing waits for a person." icon="check" />}
      {isQuiet && isUnknown && <Notice title="Parked and overdue claims have not been counted yet." />}
      <ul class="attention-list">
        {(overdue.count ?? 0) > 0 && <Overdue told={told} allowChanges={allowChanges} />}
        {(parked.count ?? 0) > 0 && (
          <Item
            state="parked"
            href={hrefOf({ state: 'parked', by: 'prefix', q: '' })}
            action={`${allowChanges ? 'Release' : 'See'} parked claims`}
          >
            <b>{counted(parked.count ?? 0, 'claim')} parked.</b> They wait for somebody to release or resolve
            them.
          </Item>
        )}
        {letters.map((queue) => (
          <Letters key={queue.url} queue={queue} allowChanges={allowChanges} />
        ))}
      </ul>
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
