import type { JSX } from 'preact';
import type { OutboxOperation, ShownRowJson } from '../../api-types.ts';
import { post } from '../../api/client.ts';
import { askToChangeRows, seenRow } from '../../outbox/rows-request.ts';
import { Ago } from '../../parts/age.tsx';
import { HiddenBody } from '../../parts/hidden-body.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { SelectAll } from '../../parts/select-all.tsx';
import { useTimeText } from '../../state/now.ts';
import { counted, numberText } from '../../text/numbers.ts';
import { lastChangeText, nextOfRow, ROW_OPERATION_NAME, ROW_STATE, rowsHref } from '../../text/row-words.ts';
import { shown } from '../../text/shown.ts';

type Selected = ReadonlyMap<string, ShownRowJson>;

/**
 * The rows of an outbox, each with what happens to it. A waiting row cannot be selected: a relay may be
 * sending it.
 */
export function RowsTable({
  rows,
  selected,
  allowChanges,
  onSelect,
  onDone,
}: {
  readonly rows: readonly ShownRowJson[];
  readonly selected: Selected;
  readonly allowChanges: boolean;
  readonly onSelect: (selected: Selected) => void;
  readonly onDone: () => void;
}): JSX.Element {
  const changeable = rows.filter(({ state }) => state !== 'waiting');
  const heldGroups = new Set(
    rows.flatMap(({ state, group }) => (state === 'parked' && group !== undefined ? [group] : [])),
  );
  const toggle = (row: ShownRowJson): void => {
    const after = new Map(selected);
    if (!after.delete(row.outboxId)) after.set(row.outboxId, row);
    onSelect(after);
  };
  return (
    <table class="table stacked claims-table outbox-table">
      <caption class="visually-hidden">Rows of the outbox</caption>
      <thead>
        <tr>
          {allowChanges && (
            <SelectAll
              label="Select all that are shown and do not wait for the relay"
              selected={selected.size}
              of={changeable.length}
              onSelectAll={(all) =>
                onSelect(new Map(all ? changeable.map((row) => [row.outboxId, row]) : []))
              }
            />
          )}
          <th scope="col">Message</th>
          <th scope="col" class="cell-state">
            State
          </th>
          <th scope="col" class="cell-since">
            Created
          </th>
          <th scope="col" class="number cell-attempt">
            Tries
          </th>
          <th scope="col">Why, and what happens next</th>
          <th scope="col">Body</th>
          {allowChanges && (
            <th scope="col" class="cell-actions">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row
            key={row.outboxId}
            row={row}
            heldGroups={heldGroups}
            isSelected={selected.has(row.outboxId)}
            allowChanges={allowChanges}
            onToggle={toggle}
            onDone={onDone}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  row,
  heldGroups,
  isSelected,
  allowChanges,
  onToggle,
  onDone,
}: {
  readonly row: ShownRowJson;
  readonly heldGroups: ReadonlySet<string>;
  readonly isSelected: boolean;
  readonly allowChanges: boolean;
  readonly onToggle: (row: ShownRowJson) => void;
  readonly onDone: () => void;
}): JSX.Element {
  const { outboxId, type, group, state, createdAt, tries, bodyBytes } = row;
  const { name, icon, color } = ROW_STATE[state];
  const id = shown(outboxId);
  return (
    <tr class={isSelected ? 'is-selected' : undefined}>
      {allowChanges && (
        <td class="cell-check">
          {state !== 'waiting' && (
            <input
              type="checkbox"
              aria-label={`Select row ${id}`}
              checked={isSelected}
              onChange={() => onToggle(row)}
            />
          )}
        </td>
      )}
      <th scope="row">
        <span class="lines">
          <Link href={rowsHref(state, type)}>{shown(type)}</Link>
          <span class="muted small">
            {group !== undefined && <>group {shown(group)}, </>}
            <span class="mono">{id}</span>
          </span>
        </span>
      </th>
      <td data-label="State">
        <span class="badge" data-state={color}>
          <Icon name={icon} />
          {name}
        </span>
      </td>
      <td data-label="Created">
        <Ago at={createdAt} />
      </td>
      <td data-label="Tries" class="number">
        {numberText(tries)}
      </td>
      <td data-label="Next" class="cell-why">
        <Why row={row} heldGroups={heldGroups} />
      </td>
      <td data-label="Body">
        <HiddenBody
          name={`row ${id}`}
          size={counted(bodyBytes, 'byte')}
          read={() => post('outbox/body', { outboxId })}
        />
      </td>
      {allowChanges && (
        <td class="cell-actions">
          <RowButtons row={row} onDone={onDone} />
        </td>
      )}
    </tr>
  );
}

function Why({
  row,
  heldGroups,
}: {
  readonly row: ShownRowJson;
  readonly heldGroups: ReadonlySet<string>;
}): JSX.Element {
  const { error } = row;
  const next = useTimeText((now) => nextOfRow(row, heldGroups, now));
  const change = lastChangeText(row);
  return (
    <span class="lines">
      {error !== undefined && (
        <span class="clamp" title={shown(error.message)}>
          <b>{shown(error.name)}</b>: {shown(error.message)}
        </span>
      )}
      <span>{next}</span>
      {change !== undefined && (
        <span class="muted small">
          {change} (<Ago at={row.history.at(-1)?.at} />)
        </span>
      )}
    </span>
  );
}

function RowButtons({
  row,
  onDone,
}: {
  readonly row: ShownRowJson;
  readonly onDone: () => void;
}): JSX.Element | null {
  if (row.state === 'waiting') return null;
  const operations: readonly OutboxOperation[] = row.state === 'parked' ? ['release', 'drop'] : ['release'];
  return (
    <>
      {operations.map((operation) => (
        <button
          key={operation}
          type="button"
          class="button button-small"
          onClick={() => askToChangeRows({ operation, rows: [seenRow(row)], onDone })}
        >
          {ROW_OPERATION_NAME[operation]}…<span class="visually-hidden"> row {shown(row.outboxId)}</span>
        </button>
      ))}
    </>
  );
}
