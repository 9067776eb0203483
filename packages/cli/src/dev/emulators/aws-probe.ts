const PROBE_TIMEOUT_MS = 2_000;

/**
 * Whether an emulator answers an AWS call that needs no arguments, such as `DynamoDB_20120810.ListTables` or
 * `AmazonSQS.ListQueues`. A port that accepts connections is not enough: some emulators listen before they serve.
 *
 * The request carries a credential that is not checked: emulators read the service and the region from it.
 */
export async function answersAwsCall(endpoint: string, target: string): Promise<boolean> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: localHeaders(target),
    body: '{}',
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
  await response.arrayBuffer();
  return response.ok;
}

/** The headers of a call that an emulator takes, such as of `AmazonSQS.ListQueues`. Its signature is none. */
export function localHeaders(target: string): Record<string, string> {
  const scope = `local/20240101/us-east-1/${serviceOf(target)}/aws4_request`;
  return {
    'content-type': target.startsWith('Kinesis')
      ? 'application/x-amz-json-1.1'
      : 'application/x-amz-json-1.0',
    'x-amz-target': target,
    'x-amz-date': '20240101T000000Z',
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
  };
}

function serviceOf(target: string): string {
  if (target.startsWith('AmazonSQS')) return 'sqs';
  return target.startsWith('Kinesis') ? 'kinesis' : 'dynamodb';
}
