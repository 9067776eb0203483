import aws4 from 'aws4';

/** Credentials of AWS. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const WITHIN_MS = 5_000;
const SECONDS = 900;

/**
 * Assumes an IAM role for 15 minutes in the name of a person, who is then in CloudTrail. Asks STS without its
 * SDK, for one request. Rejects if STS refuses.
 */
export async function assumeRole(
  { roleArn, stsUrl }: { readonly roleArn: string; readonly stsUrl: string },
  operator: string,
  { region, credentials }: { readonly region: string; readonly credentials: Credentials },
): Promise<Credentials> {
  const url = new URL(stsUrl);
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionNameOf(operator),
    DurationSeconds: String(SECONDS),
  }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', host: url.host, path: '/', headers, body, service: 'sts', region };
  const { Host: _, ...sent } = aws4.sign(request, credentials).headers as Record<string, string>;
  const signal = AbortSignal.timeout(WITHIN_MS);
  const response = await fetch(url, { method: 'POST', headers: sent, body, signal });
  const text = await response.text();
  const member = (name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? '';
  if (!response.ok)
    throw new Error(
      `STS refuses the role ${roleArn} with ${response.status} (${member('Code')}): check its trust policy`,
    );
  return {
    accessKeyId: member('AccessKeyId'),
    secretAccessKey: member('SecretAccessKey'),
    sessionToken: member('SessionToken'),
  };
}

/** STS allows these characters, and 2 to 64 of them. */
function sessionNameOf(operator: string): string {
  return operator
    .replaceAll(/[^\w+=,.@-]+/g, '-')
    .slice(0, 64)
    .padEnd(2, '-');
}
