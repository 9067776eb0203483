import { type Claim, keyHash } from 'batchlatch/operations';

const HOUR_MS = 3_600_000;

/**
 * Returns the URL of a CloudWatch Logs Insights query for the log lines of a claim, which contain the hash of
 * its key. Undefined if the claim does not name its Lambda function.
 */
export function logQueryUrl(
  claim: Pick<Claim, 'key' | 'createdAt' | 'lockedBy'>,
  region: string | undefined,
  now: number,
): string | undefined {
  const name = /^([\w-]{1,64}):[\w$-]{1,128} /.exec(claim.lockedBy ?? '')?.[1];
  if (region === undefined || !/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region) || name === undefined)
    return undefined;
  const query =
    `fields @timestamp, message, @message\n| filter @message like "${keyHash(claim.key)}"\n` +
    '| sort @timestamp asc\n| limit 1000';
  const from = Math.max(0, Math.round((now - claim.createdAt + HOUR_MS) / 1_000));
  const detail =
    `~(end~0~start~-${from}~timeType~'RELATIVE~unit~'seconds~editorString~'${escaped(query)}` +
    `~source~(~'${escaped(`/aws/lambda/${name}`)}))`;
  const fragment = encodeURIComponent(`?queryDetail=${detail}`).replaceAll('%', '$');
  return (
    `https://${region}.${consoleOf(region)}/cloudwatch/home` +
    `?region=${region}#logsV2:logs-insights${fragment}`
  );
}

/** Escapes a text as the AWS console does in its URLs. */
function escaped(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    .replaceAll('%', '*');
}

function consoleOf(region: string): string {
  if (region.startsWith('cn-')) return 'console.amazonaws.cn';
  return region.startsWith('us-gov-') ? 'console.amazonaws-us-gov.com' : 'console.aws.amazon.com';
}
