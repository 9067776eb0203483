const PROBE_TIMEOUT_MS = 2_000;

/**
 * Returns whether an emulator answers a call without arguments, such as `AmazonSQS.ListQueues`. An open port
 * is not enough: some emulators listen before they serve.
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

/** Returns headers for a call. Emulators read service and region from them, and ignore the signature. */
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
