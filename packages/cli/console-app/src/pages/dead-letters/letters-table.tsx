import type { JSX } from 'preact';
import type { MessageJson } from '../../api-types.ts';
import { claimHref } from '../../filters/claim-filter.ts';
import { Ago } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { SelectAll } from '../../parts/select-all.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { askToRedrive } from '../../redrive/redrive-request.ts';
import { counted } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { MessageBody } from './message-body.tsx';

/** Messages, each beside its claims. */
export function LettersTable({
  queue,
  messages,
  selected,
  allowChanges,
  onToggle,
  onSelectAll,
  onDone,
}: {
  readonly queue: string;
  readonly messages: readonly MessageJson[];
  readonly selected: ReadonlySet<string>;
  readonly allowChanges: boolean;
  readonly onToggle: (messageId: string) => void;
  readonly onSelectAll: (all: boolean) => void;
  readonly onDone: () => void;
}): JSX.Element {
  return (
    <table class="table stacked claims-table letters-table">
      <caption class="visually-hidden">Messages of {shown(queue)}</caption>
      <thead>
        <tr>
          {allowChanges && (
            <SelectAll selected={selected.size} of={messages.length} onSelectAll={onSelectAll} />
          )}
          <th scope="col">Message</th>
          <th scope="col">Error</th>
          <th scope="col">Claim</th>
          <th scope="col">Body</th>
          {allowChanges && (
            <th scope="col" class="cell-actions">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {messages.map((message) => (
          <Letter
            key={message.messageId}
            queue={queue}
            message={message}
            isSelected={selected.has(message.messageId)}
            allowChanges={allowChanges}
            onToggle={onToggle}
            onDone={onDone}
          />
        ))}
      </tbody>
    </table>
  );
}

function Letter({
  queue,
  message,
  isSelected,
  allowChanges,
  onToggle,
  onDone,
}: {
  readonly queue: string;
  readonly message: MessageJson;
  readonly isSelected: boolean;
  readonly allowChanges: boolean;
  readonly onToggle: (messageId: string) => void;
  readonly onDone: () => void;
}): JSX.Element {
  const { messageId, sentAt, receiveCount, groupId, error } = message;
  return (
    <tr class={isSelected ? 'is-selected' : undefined}>
      {allowChanges && (
        <td class="cell-check">
          <input
            type="checkbox"
            aria-label={`Select message ${shown(messageId)}`}
            checked={isSelected}
            onChange={() => onToggle(messageId)}
          />
        </td>
      )}
      <th scope="row">
        <span class="lines">
          <span class="mono">{shown(messageId)}</span>
          <span class="muted small">
            sent <Ago at={sentAt} />, received {counted(receiveCount, 'time')}
            {groupId !== undefined && <>, group {shown(groupId)}</>}
          </span>
        </span>
      </th>
      <td data-label="Error" class="cell-why">
        {error === undefined ? (
          <span class="muted">not known</span>
        ) : (
          <span>
            <b>{shown(error.name)}</b>: {shown(error.message)}
          </span>
        )}
      </td>
      <td data-label="Claim">
        <Claims message={message} />
      </td>
      <td data-label="Body">
        <MessageBody queue={queue} message={message} />
      </td>
      {allowChanges && (
        <td class="cell-actions">
          <button
            type="button"
            class="button button-small"
            onClick={() => askToRedrive({ queue, which: [messageId], onDone })}
          >
            Redrive…<span class="visually-hidden"> message {shown(messageId)}</span>
          </button>
        </td>
      )}
    </tr>
  );
}

function Claims({ message: { claims, key } }: { readonly message: MessageJson }): JSX.Element {
  if (claims.length === 0) {
    return (
      <span class="lines">
        {key !== undefined && <span class="mono">{shown(key)}</span>}
        <span class="muted">no claim found</span>
      </span>
    );
  }
  return (
    <span class="lines">
      {claims.map((claim) => (
        <span key={claim.key}>
          <StateBadge state={claim.state} releasedAt={claim.releasedAt} />{' '}
          <span class="mono">
            <Link href={claimHref(claim.key)}>{shown(claim.key)}</Link>
          </span>
        </span>
      ))}
    </span>
  );
}
