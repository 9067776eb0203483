import { type Claim, type ClaimAdmin, type ClaimQuery, eachClaim } from 'batchlatch/operations';
import type { DemoStore } from './demo-store.ts';

/** How the demo reads the claims of a store. */
export function claimsOf(admin: ClaimAdmin): Pick<DemoStore, 'claims' | 'readClaims' | 'readRunningClaims'> {
  const read = async (query: ClaimQuery): Promise<Claim[]> => {
    const claims: Claim[] = [];
    for await (const claim of eachClaim(admin, { limit: 1_000, ...query })) claims.push(claim);
    return claims;
  };
  return {
    claims: admin,
    readClaims: () => read({}),
    readRunningClaims: () => read({ state: 'in-progress' }),
  };
}

/** For a server that was given by its URL, of which only the host is shown: it may hold a password. */
export function unreachable(name: string, option: string, url: string, cause: unknown): unknown {
  const { host } = new URL(url);
  const codes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'];
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  const advice = `start a ${name} there, or leave ${option} out`;
  if (codes.includes(String(code))) return new Error(`Nothing answers at ${host}; ${advice}`, { cause });
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${name} at ${host} cannot be used: ${why}`, { cause });
}
