import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { asApiError } from '../api/use-request.ts';
import { shownBody } from '../text/shown.ts';
import { ErrorNotice } from './notice.tsx';

/** A body, hidden until somebody asks for it: it may hold what is not for every eye. */
export function HiddenBody({
  name,
  size,
  read,
  more,
}: {
  /** The owner of the body, such as `message 3f2a`. */
  readonly name: string;
  /** The length, such as `50 characters`. */
  readonly size: string;
  readonly read: () => Promise<{ readonly body: string }>;
  /** Returns what to show below the body. */
  readonly more?: (body: string) => ComponentChildren;
}): JSX.Element {
  const [body, setBody] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [isReading, setReading] = useState(false);
  const show = async (): Promise<void> => {
    setError(undefined);
    setReading(true);
    try {
      setBody((await read()).body);
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
          <span class="visually-hidden"> of {name}</span>
        </button>
      ) : (
        <>
          <pre tabIndex={0} aria-label="Body">
            {shownBody(body)}
          </pre>
          <button type="button" class="button button-small" onClick={() => setBody(undefined)}>
            Hide the body
          </button>
          {more?.(body)}
        </>
      )}
      {body === undefined && <span class="muted small">{size}</span>}
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}
