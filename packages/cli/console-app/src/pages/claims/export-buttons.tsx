import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TicketJson } from '../../api-types.ts';
import { type ApiError, apiPath, post } from '../../api/client.ts';
import { asApiError } from '../../api/use-request.ts';
import { type ClaimFilter, requestOf } from '../../filters/claim-filter.ts';
import { ErrorNotice } from '../../parts/notice.tsx';

/** Downloads all claims that match. A download sends no header, so it has a ticket in its address. */
export function ExportButtons({ filter }: { readonly filter: ClaimFilter }): JSX.Element {
  const [error, setError] = useState<ApiError>();
  const download = async (format: 'csv' | 'json'): Promise<void> => {
    setError(undefined);
    try {
      const { ticket } = await post<TicketJson>('export');
      const link = document.createElement('a');
      link.href = apiPath('export', { format, ...requestOf(filter), ticket });
      link.download = '';
      link.click();
    } catch (thrown) {
      setError(asApiError(thrown));
    }
  };
  return (
    <div class="export">
      <span class="muted small">Export all that match:</span>
      {(['csv', 'json'] as const).map((format) => (
        <button key={format} type="button" class="button button-small" onClick={() => void download(format)}>
          {format.toUpperCase()}
        </button>
      ))}
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}
