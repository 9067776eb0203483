import { isIP } from 'node:net';
import { ConfigurationError } from '../base/errors.ts';

export interface QueueEndpoint {
  readonly url: URL;
  /** The region in the host name; undefined if the host is not AWS's. */
  readonly region: string | undefined;
}

/** Host suffixes of all partitions of AWS (`partitions.json` of its SDKs), and of emulators. */
const SUFFIXES = [
  'amazonaws.com',
  'amazonaws.com.cn',
  'amazonaws.eu',
  'api.aws',
  'api.amazonwebservices.com.cn',
  'api.amazonwebservices.eu',
  'c2s.ic.gov',
  'sc2s.sgov.gov',
  'cloud.adc-e.uk',
  'csp.hci.ic.gov',
  'localhost', // fauxqs
];
const REGION = '([a-z]{2,}(?:-[a-z]+)+-\\d+)';
const NAMES: readonly RegExp[] = [
  new RegExp(`^sqs(?:-fips)?\\.${REGION}$`), // dual stack differs in the suffix only
  new RegExp(`^${REGION}\\.queue$`), // the legacy form
  new RegExp(`^vpce-[a-z\\d-]+\\.sqs\\.${REGION}\\.vpce$`), // an interface endpoint without private DNS
];

/**
 * Returns the origin of the queue's URL, whatever endpoints the environment names, as AWS's SDK does
 * (`useQueueUrlAsEndpoint`). Requests are signed for the region of the host, as SQS requires.
 */
export function endpointOfQueue(queueUrl: string, caller: string = 'createWorker'): QueueEndpoint {
  const { protocol, origin } = new URL(queueUrl);
  if (!/^https?:$/.test(protocol)) {
    throw new ConfigurationError(`${caller}: Expected \`queueUrl\` to begin with https:// or http://`);
  }
  const url = new URL(origin);
  const region = regionOf(url.hostname);
  // The loopback address (RFC 6761, 6.3), which some resolvers do not know.
  if (url.hostname.endsWith('.localhost')) url.hostname = 'localhost';
  return { url, region };
}

function regionOf(hostname: string): string | undefined {
  if (isIP(hostname) !== 0) return undefined;
  if (hostname === 'queue.amazonaws.com') return 'us-east-1';
  const suffix = SUFFIXES.find((one) => hostname.endsWith(`.${one}`));
  if (suffix === undefined) return undefined;
  const name = hostname.slice(0, -suffix.length - 1);
  return NAMES.map((form) => form.exec(name)?.[1]).find((region) => region !== undefined);
}
