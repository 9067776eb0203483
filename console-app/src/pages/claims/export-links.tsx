import type { JSX } from 'preact';
import { apiPath } from '../../api/client.ts';
import { type ClaimFilter, requestOf } from '../../filters/claim-filter.ts';

/** Downloads all claims that match. */
export function ExportLinks({ filter }: { readonly filter: ClaimFilter }): JSX.Element {
  return (
    <div class="export">
      <span class="muted small">Export all that match:</span>
      {(['csv', 'json'] as const).map((format) => (
        <a
          key={format}
          class="button button-small"
          href={apiPath('export', { format, ...requestOf(filter) })}
          download=""
        >
          {format.toUpperCase()}
        </a>
      ))}
    </div>
  );
}
