import type { JSX } from 'preact';
import type { ClaimJson } from '../../api-types.ts';
import { session } from '../../api/session.ts';
import { askToChange, seen } from '../../changes/change-request.ts';
import { operationsOf } from '../../changes/operations-of.ts';
import { askToSend } from '../../send/send-request.ts';
import { useStore } from '../../state/store.ts';
import { OPERATION_MEANING, OPERATION_NAME } from '../../text/words.ts';

/** The actions on a claim, the likeliest first. */
export function ClaimActions({
  claim,
  onDone,
}: {
  readonly claim: ClaimJson;
  readonly onDone: () => void;
}): JSX.Element {
  const canSend = useStore(session)?.canSend ?? false;
  const isWaiting = claim.state === 'parked' || claim.state === 'overdue';
  return (
    <div class="buttons" role="group" aria-label="Change this claim">
      {operationsOf(claim).map((operation, index) => (
        <button
          key={operation}
          type="button"
          class={
            operation === 'forget'
              ? 'button button-danger-plain'
              : index === 0 && isWaiting
                ? 'button button-primary'
                : 'button'
          }
          title={`Claims ${OPERATION_MEANING[operation]}`}
          onClick={() => askToChange({ operation, of: claim.key, what: { claims: [seen(claim)] }, onDone })}
        >
          {OPERATION_NAME[operation]}…
        </button>
      ))}
      {canSend && claim.state !== 'in-progress' && (
        <button type="button" class="button" onClick={() => askToSend({ key: claim.key, onDone })}>
          Run again…
        </button>
      )}
    </div>
  );
}
