import type { JSX } from 'preact';
import type { OutboxState } from '../../api-types.ts';
import { overview } from '../../api/live.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { useStore } from '../../state/store.ts';
import { ROW_STATE, ROW_STATES, rowsHref } from '../../text/row-words.ts';
import { countText } from '../../text/words.ts';

/** The states of rows, each with its count and a link that keeps the type. */
export function RowTabs({
  state: current,
  type,
}: {
  readonly state: OutboxState | undefined;
  readonly type: string | undefined;
}): JSX.Element {
  const facts = useStore(overview)?.outbox;
  return (
    <nav aria-label="States">
      <ul class="tabs">
        <li>
          <Link href={rowsHref(undefined, type)} aria-current={current === undefined ? 'true' : undefined}>
            Not sent
          </Link>
        </li>
        {ROW_STATES.map((state) => (
          <li key={state}>
            <Link
              href={rowsHref(state, type)}
              data-state={ROW_STATE[state].color}
              aria-current={current === state ? 'true' : undefined}
            >
              <Icon name={ROW_STATE[state].icon} />
              {ROW_STATE[state].name}
              {state !== 'dropped' && facts?.error === undefined && facts !== undefined && (
                <span class="tab-count">{countText(facts[state]).value}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
