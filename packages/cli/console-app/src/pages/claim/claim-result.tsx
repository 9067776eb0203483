import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ClaimDetailJson } from '../../api-types.ts';
import { type ApiError, get } from '../../api/client.ts';
import { asApiError } from '../../api/use-request.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { shownBody } from '../../text/shown.ts';

/** The result that duplicates get. It may be confidential, so it is read on request only. */
export function ClaimResult({
  claimKey,
  hasResult,
}: {
  readonly claimKey: string;
  readonly hasResult: boolean;
}): JSX.Element | null {
  const [result, setResult] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const [isReading, setReading] = useState(false);
  if (!hasResult) return null;
  const read = async (): Promise<void> => {
    setError(undefined);
    setReading(true);
    try {
      const detail = await get<ClaimDetailJson>('claim', { key: claimKey, result: 1 });
      setResult(detail.result ?? '');
    } catch (caught) {
      setError(asApiError(caught));
    }
    setReading(false);
  };
  return (
    <div class="hidden-text">
      <h3>Result</h3>
      {result === undefined ? (
        <button type="button" class="button" disabled={isReading} onClick={() => void read()}>
          {isReading ? 'Reading…' : 'Show the result'}
        </button>
      ) : (
        <>
          <pre tabIndex={0} aria-label="Result">
            {shownBody(result)}
          </pre>
          <button type="button" class="button button-small" onClick={() => setResult(undefined)}>
            Hide the result
          </button>
        </>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}
