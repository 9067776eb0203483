import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SendPlanRequest, SentJson } from '../api-types.ts';
import { type ApiError, post } from '../api/client.ts';
import { session } from '../api/session.ts';
import { asApiError } from '../api/use-request.ts';
import { ReasonField } from '../changes/reason-field.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { toast } from '../parts/toasts.tsx';
import { useStore } from '../state/store.ts';
import { shown } from '../text/shown.ts';
import { SendEffect } from './send-effect.tsx';
import { type SendRequest, sendRequest } from './send-request.ts';
import { useSendPlan } from './use-send-plan.ts';

/** The dialog of the message that is asked about, if there is one. */
export function SendDialog(): JSX.Element | null {
  const request = useStore(sendRequest);
  if (request === undefined) return null;
  return <Asked request={request} onClose={() => sendRequest.set(undefined)} />;
}

function Asked({
  request,
  onClose,
}: {
  readonly request: SendRequest;
  readonly onClose: () => void;
}): JSX.Element {
  const queues = useStore(session)?.queues.filter(({ isDeadLetter }) => !isDeadLetter) ?? [];
  const [queue, setQueue] = useState(request.queue ?? queues[0]?.name ?? '');
  const [body, setBody] = useState(request.body ?? '');
  const [groupId, setGroupId] = useState('');
  const [release, setRelease] = useState(false);
  const [reason, setReason] = useState('');
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<ApiError>();
  const isFifo = queue.endsWith('.fifo');
  const asked: SendPlanRequest = {
    queue,
    body,
    ...(isFifo && groupId !== '' && { groupId }),
    ...(release && { release }),
  };
  const { plan, error } = useSendPlan(asked);
  const isReady = plan !== undefined && reason.trim() !== '' && !isSending;
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isReady) return;
    setSending(true);
    setFailure(undefined);
    try {
      const { mayBeTwice } = await post<SentJson>('send', { plan: plan.plan, reason: reason.trim() });
      toast(`1 message sent to ${shown(queue)}${mayBeTwice ? '; SQS may have it twice' : ''}`);
      request.onDone?.();
      onClose();
    } catch (thrown) {
      setFailure(asApiError(thrown));
      setSending(false);
    }
  };
  return (
    <Dialog title={request.key === undefined ? 'Send a message' : 'Run again'} onClose={onClose}>
      <form class="form" onSubmit={(event) => void send(event)}>
        {request.key !== undefined && (
          <p>
            A claim has no body: give the one of its message, so that <b class="mono">{shown(request.key)}</b>{' '}
            runs again.
          </p>
        )}
        <div class="field">
          <label for="send-queue">Queue</label>
          <select
            id="send-queue"
            value={queue}
            onChange={({ currentTarget }) => setQueue(currentTarget.value)}
          >
            {queues.map(({ name }) => (
              <option key={name} value={name}>
                {shown(name)}
              </option>
            ))}
          </select>
        </div>
        {isFifo && (
          <div class="field">
            <label for="send-group">Message group</label>
            <input
              id="send-group"
              type="text"
              class="mono"
              required
              maxLength={128}
              autocomplete="off"
              value={groupId}
              onInput={({ currentTarget }) => setGroupId(currentTarget.value)}
            />
          </div>
        )}
        <div class="field">
          <label for="send-body">Body</label>
          <textarea
            id="send-body"
            class="mono"
            rows={6}
            required
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
          <p class="field-error" role="status">
            {error !== undefined && shown(error.message)}
          </p>
        </div>
        {plan !== undefined && (
          <SendEffect plan={plan} wantedKey={request.key} isReleased={release} onRelease={setRelease} />
        )}
        <ReasonField value={reason} onInput={setReason} />
        {failure !== undefined && <ErrorNotice error={failure} />}
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={release ? 'button button-danger' : 'button button-primary'}
            disabled={!isReady}
          >
            {plan?.releases === true ? 'Release and send 1 message' : 'Send 1 message'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
