/** What a function answers. It carries a credential that nobody checks. Rejects when the function failed. */
export async function invokeFunction(endpoint: string, name: string, event: object): Promise<unknown> {
  const response = await fetch(`${endpoint}/2015-03-31/functions/${name}/invocations`, {
    method: 'POST',
    headers: { authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/lambda/aws4_request' },
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok || response.headers.has('x-amz-function-error')) throw new Error(`${name}: ${text}`);
  return JSON.parse(text) as unknown;
}
