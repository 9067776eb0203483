import { useCallback, useEffect, useState } from 'preact/hooks';
import { signOut } from './live.ts';
import { ApiError } from './client.ts';
import { useRetry } from './use-retry.ts';

/** A requested answer. The last one stays while it is read again. */
export interface Requested<Answer> {
  readonly answer?: Answer;
  readonly error?: ApiError;
  readonly isLoading: boolean;
  /** Reads again. */
  readonly again: () => void;
}

/** Reads when the page is opened and when `of` changes, the name of the request. */
export function useRequest<Answer>(
  of: string,
  read: (signal: AbortSignal) => Promise<Answer>,
): Requested<Answer> {
  const [state, setState] = useState<{ of: string; answer?: Answer; error?: ApiError; isLoading: boolean }>({
    of,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...(before.of === of ? before : {}), of, isLoading: true }));
    read(abort.signal).then(
      (answer) => {
        if (!abort.signal.aborted)
          setState((before) => ({ of, answer: asBefore(before.answer, answer), isLoading: false }));
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const shown = asApiError(error);
        setState((before) => ({ ...before, error: shown, isLoading: false }));
      },
    );
    return () => abort.abort();
    // `of` names all that `read` uses.
  }, [of, round]);
  useRetry(state.of === of ? state.error : undefined, again, state.isLoading);
  return state.of === of ? { ...state, again } : { isLoading: true, again };
}

/** Returns the previous answer if the new one is equal, to avoid drawing it again. */
function asBefore<Answer>(before: Answer | undefined, answer: Answer): Answer {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(answer) ? before : answer;
}

/** Returns any thrown value as an `ApiError`. Signs the page out if the server does not know the browser. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    if (error.status === 401) signOut();
    return error;
  }
  return new ApiError(0, 'UNKNOWN', error instanceof Error ? error.message : String(error));
}
