import type { JSX } from 'preact';
import type { MessageJson } from '../../api-types.ts';
import { post } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { HiddenBody } from '../../parts/hidden-body.tsx';
import { askToSend } from '../../send/send-request.ts';
import { useStore } from '../../state/store.ts';
import { counted } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';

/** The body of a message, hidden until somebody asks for it. */
export function MessageBody({
  queue,
  message: { messageId, bodyLength },
}: {
  readonly queue: string;
  readonly message: MessageJson;
}): JSX.Element {
  const canSend = useStore(session)?.canSend ?? false;
  return (
    <HiddenBody
      name={`message ${shown(messageId)}`}
      size={counted(bodyLength, 'character')}
      read={() => post('dead-letters/body', { queue, messageId })}
      more={(body) =>
        canSend && (
          <button type="button" class="button button-small" onClick={() => askToSend({ body })}>
            Send it as a new message…
          </button>
        )
      }
    />
  );
}
