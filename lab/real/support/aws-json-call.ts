/**
 * One call of AWS's JSON protocol, for services whose client is not among the dependencies. It carries a credential
 * that nobody checks: emulators read the service and the region from it.
 *
 * @example
 * await awsJsonCall(endpoint, 'kinesis', 'Kinesis_20131202.ListStreams', {});
 */
export async function awsJsonCall<Answer>(
  endpoint: string,
  service: string,
  target: string,
  input: object,
): Promise<Answer> {
  const scope = `local/20260101/us-east-1/${service}/aws4_request`;
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': target,
      'x-amz-date': '20260101T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=0`,
    },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target} answered ${response.status}: ${text.slice(0, 500)}`);
  return (text === '' ? {} : JSON.parse(text)) as Answer;
}
