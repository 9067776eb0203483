import aws4 from 'aws4';

/** Credentials, as AWS's SDK resolves them. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The endpoint of CloudWatch, and the credentials for it. */
export interface CloudWatchPlace {
  readonly url: URL;
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
}

const WITHIN_MS = 8_000;

/** The APIs of CloudWatch: how their requests are signed, named and written. */
const APIS = {
  metrics: { service: 'monitoring', target: 'GraniteServiceVersion20100801', json: '1.0' },
  logs: { service: 'logs', target: 'Logs_20140328', json: '1.1' },
} as const;

/** Calls CloudWatch without its SDK, which is as large as the console. Rejects for errors, and after 8 s. */
export async function askCloudWatch(
  { url, region, credentials }: CloudWatchPlace,
  [api, operation]: readonly [keyof typeof APIS, string],
  input: object,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { service, target, json: version } = APIS[api];
  const body = JSON.stringify(input);
  const headers = {
    'Content-Type': `application/x-amz-json-${version}`,
    'X-Amz-Target': `${target}.${operation}`,
  };
  const request = { method: 'POST', host: url.host, path: url.pathname, headers, body };
  const signed = aws4.sign({ ...request, service, region }, await credentials());
  const { Host: _, ...sent } = signed.headers as Record<string, string>;
  const answer = await fetch(withoutUser(url), {
    method: 'POST',
    headers: sent,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
  });
  const json = (await answer.json().catch(() => null)) as Readonly<Record<string, unknown>> | null;
  const told = json ?? {};
  if (answer.ok) return told;
  const { message, Message = message } = told as { readonly message?: string; readonly Message?: string };
  const why = Message ?? answer.statusText;
  throw new Error(`CloudWatch refuses with ${answer.status}: ${why}`);
}

/** `fetch` refuses a URL with a user, and its error has the password. The SDKs ignore both, too. */
function withoutUser(url: URL): URL {
  return Object.assign(new URL(url), { username: '', password: '' });
}
