import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MessageJson } from '../../api-types.ts';
import { type ApiError, post } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { asApiError } from '../../api/use-request.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { askToSend } from '../../send/send-request.ts';
import { useStore } from '../../state/store.ts';
import { counted } from '../../text/numbers.ts';
import { shown, shownBody } from '../../text/shown.ts';

/** The body of a message, hidden until somebody asks for it: it may hold what is not for every eye. */
export function MessageBody({
  queue,
  message: { messageId, bodyLength },
}: {
  readonly queue: string;
  readonly message: MessageJson;
}): JSX.Element {
  const canSend = useStore(session)?.canSend ?? false;
  const [body, setBody] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [isReading, setReading] = useState(false);
  const show = async (): Promise<void> => {
    setError(undefined);
    setReading(true);
    try {
      const answer = await post<{ readonly body: string }>('dead-letters/body', { queue, messageId });
      setBody(answer.body);
    } catch (caught) {
      setError(asApiError(caught));
    }
    setReading(false);
  };
  return (
    <div class="hidden-text">
      {body === undefined ? (
        <button type="button" class="button button-small" disabled={isReading} onClick={() => void show()}>
          {isReading ? 'Reading…' : 'Show the body'}
          <span class="visually-hidden"> of message {shown(messageId)}</span>
        </button>
      ) : (
        <>
          <pre tabIndex={0} aria-label="Body">
            {shownBody(body)}
          </pre>
          <button type="button" class="button button-small" onClick={() => setBody(undefined)}>
            Hide the body
          </button>
          {canSend && (
            <button type="button" class="button button-small" onClick={() => askToSend({ body })}>
              Send it as a new message…
            </button>
          )}
        </>
      )}
      {body === undefined && <span class="muted small">{counted(bodyLength, 'character')}</span>}
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}
