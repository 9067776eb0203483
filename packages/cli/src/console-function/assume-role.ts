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
 * SDK, for one request. Rejects if STS refuses or does not answer.
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
  const { response, text } = await answerOf(url, { method: 'POST', headers: sent, body });
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

async function answerOf(
  url: URL,
  request: RequestInit,
): Promise<{ readonly response: Response; readonly text: string }> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(WITHIN_MS) });
    return { response, text: await response.text() };
  } catch (cause) {
    const message =
      `STS does not answer at ${url.origin}, so nothing was changed. Try again; ` +
      'in a VPC without a NAT gateway the function needs an interface endpoint of STS';
    throw new Error(message, { cause });
  }
}

/** STS allows these characters, and 2 to 64 of them. */
function sessionNameOf(operator: string): string {
  return operator
    .replaceAll(/[^\w+=,.@-]+/g, '-')
    .slice(0, 64)
    .padEnd(2, '-');
}
