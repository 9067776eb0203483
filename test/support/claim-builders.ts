import { randomUUID } from 'node:crypto';
import type { ClaimRequest, Settlement } from 'batchlatch';

/** The default lease outside Lambda. */
export const LEASE_MS = 60_000;
export const RETENTION_MS = 3_600_000;
const BUSINESS_ERROR = { name: 'Error', message: 'card declined' };

export function claimRequest(key: string, members?: Partial<ClaimRequest>): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: LEASE_MS, retentionMs: RETENTION_MS, ...members };
}

/** `n` requests for keys that nobody else has. */
export function claimRequests(n: number, members?: Partial<ClaimRequest>): ClaimRequest[] {
  const prefix = randomUUID();
  return Array.from({ length: n }, (_, index) => claimRequest(`${prefix}#v1:${index}`, members));
}

/** The same keys for another owner each. */
export function byOthers(requests: readonly ClaimRequest[], members?: Partial<ClaimRequest>): ClaimRequest[] {
  return requests.map((request) => ({ ...request, owner: randomUUID(), ...members }));
}

/** How the attempt of a request ends. */
export function settlementOf(
  end: Settlement['end'],
  { key, owner }: Pick<ClaimRequest, 'key' | 'owner'>,
  result?: string,
): Settlement {
  const common = { key, owner, retentionMs: RETENTION_MS };
  switch (end) {
    case 'complete':
      return { ...common, end, ...(result !== undefined && { result }) };
    case 'fail':
      return { ...common, end, error: BUSINESS_ERROR };
    case 'park':
      return { ...common, end, error: BUSINESS_ERROR };
    case 'release':
      return { ...common, end, releases: 0 };
  }
}

export function completion(request: Pick<ClaimRequest, 'key' | 'owner'>, result?: string): Settlement {
  return settlementOf('complete', request, result);
}
