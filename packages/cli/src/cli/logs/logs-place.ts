import type { CloudWatchPlace } from '../../cloudwatch/ask-cloudwatch.ts';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { awsSettings } from '../connect/aws-settings.ts';
import type { Context } from '../context.ts';

/** Returns CloudWatch Logs of this region with the credentials of the options. */
export async function logsPlace(
  context: Context,
  options: ConnectionOptions,
  region: string,
): Promise<CloudWatchPlace> {
  const { endpoint, ...settings } = awsSettings('CLOUDWATCH_LOGS', options, context);
  const { DynamoDB } = await import('@aws-sdk/client-dynamodb');
  const { config } = new DynamoDB({ ...settings, region });
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(endpoint ?? `https://logs.${region}.${domain}`);
  return { url, region, credentials: config.credentials };
}
