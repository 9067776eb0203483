import { isIP } from 'node:net';
import { ConfigurationError } from '../base/errors.ts';

export interface QueueEndpoint {
  readonly url: URL;
  /** That the host names; undefined for hosts that are not AWS's. */
  readonly region: string | undefined;
}

/** What names of endpoints end in: of AWS, whatever the partition (`partitions.json` of its SDKs), and of emulators. */
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
  new RegExp(`^sqs(?:-fips)?\\.${REGION}$`), // also with dual stack, by its suffix
  new RegExp(`^${REGION}\\.queue$`), // as SQS named its endpoints first
  new RegExp(`^vpce-[a-z\\d-]+\\.sqs\\.${REGION}\\.vpce$`), // of an interface endpoint, without private DNS
];

/**
 * The origin of the queue's URL, as AWS's SDK for JavaScript has it (`useQueueUrlAsEndpoint`), whatever endpoints the
 * environment names. The signature's region is the one of the host, and not that of the environment: SQS would refuse another.
 */
export function endpointOfQueue(queueUrl: string): QueueEndpoint {
  const { protocol, origin } = new URL(queueUrl);
  if (!/^https?:$/.test(protocol)) {
    throw new ConfigurationError('createWorker: Expected `queueUrl` to begin with https:// or http://');
  }
  const url = new URL(origin);
  const region = regionOf(url.hostname);
  // This machine (RFC 6761, 6.3), which not every resolver knows.
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
