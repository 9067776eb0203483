import { useEffect, useState } from 'preact/hooks';
import type { SendPlanJson, SendPlanRequest } from '../api-types.ts';
import { type ApiError, post } from '../api/client.ts';
import { asApiError } from '../api/use-request.ts';

/** Typing goes on for this long before the server is asked. */
const AFTER_MS = 250;

/** What the message would meet, asked for again whenever it is another one; neither while it is asked. */
export function useSendPlan(request: SendPlanRequest): {
  readonly plan?: SendPlanJson;
  readonly error?: ApiError;
} {
  const of = JSON.stringify(request);
  const [state, setState] = useState<{ of: string; plan?: SendPlanJson; error?: ApiError }>({ of: '' });
  useEffect(() => {
    if (request.body === '') return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      post<SendPlanJson>('send/plan', request, abort.signal).then(
        (plan) => setState({ of, plan }),
        (error: unknown) => {
          if (!abort.signal.aborted) setState({ of, error: asApiError(error) });
        },
      );
    }, AFTER_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
    // `of` is all of the request.
  }, [of]);
  return state.of === of ? state : {};
}
