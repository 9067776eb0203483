import type { Credentials } from './signed-headers.ts';

/** What a request was sent with and nobody may read. */
export interface Secrets {
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** The credentials of an emulator may be any word; those of AWS are longer. */
const SHORTEST_SECRET = 16;

/**
 * A text of an answer without what the request was signed with: AWS quotes the canonical request, session token included, where
 * a signature does not match, and who else answers may quote anything.
 */
export function redact(text: string, { credentials, headers }: Secrets): string {
  const signature = /Signature=(\w+)/.exec(String(headers['Authorization']))?.[1];
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  let shown = text;
  for (const secret of [sessionToken, secretAccessKey, accessKeyId, signature]) {
    if (secret !== undefined && secret.length >= SHORTEST_SECRET) shown = shown.replaceAll(secret, '***');
  }
  return shown;
}
