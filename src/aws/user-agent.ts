import type { Environment } from './environment-credentials.ts';

/** Characters that AWS's SDK writes as `-` (UA_VALUE_ESCAPE_REGEX of @aws-sdk/core 3.981.0). */
const ESCAPED = /[^!$%&'*+\-.^_`|~\w#]/g;

/**
 * Returns the `User-Agent` of direct requests. Like the SDK's it ends with the application's id, which
 * Powertools sets to count its users.
 */
export function userAgentOf(environment: Environment): string {
  const agent = `batchlatch md/nodejs#${process.versions.node}`;
  const appId = environment['AWS_SDK_UA_APP_ID'] ?? '';
  return appId === '' ? agent : `${agent} app/${appId.replaceAll(ESCAPED, '-')}`;
}
