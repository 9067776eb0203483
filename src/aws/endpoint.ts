import type { Service } from './service.ts';

/** The URL of requests, and the region of their signatures. */
export interface Endpoint {
  readonly url: URL;
  readonly region: string;
}

/** From `partitions.json` of AWS's SDKs. A test compares each region with the SDK. */
const PARTITIONS: readonly (readonly [regions: RegExp, suffix: string, dualStackSuffix: string])[] = [
  [/^(us(-gov)?|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d+$/, 'amazonaws.com', 'api.aws'],
  [/^cn-[a-z]+-\d+$/, 'amazonaws.com.cn', 'api.amazonwebservices.com.cn'],
  [/^eusc-de-[a-z]+-\d+$/, 'amazonaws.eu', 'api.amazonwebservices.eu'],
  [/^us-iso-[a-z]+-\d+$/, 'c2s.ic.gov', 'api.aws.ic.gov'],
  [/^us-isob-[a-z]+-\d+$/, 'sc2s.sgov.gov', 'api.aws.scloud'],
  [/^eu-isoe-[a-z]+-\d+$/, 'cloud.adc-e.uk', 'api.cloud-aws.adc-e.uk'],
  [/^us-isof-[a-z]+-\d+$/, 'csp.hci.ic.gov', 'api.aws.hci.ic.gov'],
];

/** Returns the endpoint of a service in a region; undefined if the region's partition is unknown. */
export function regionalEndpoint(
  service: Service['name'],
  region: string,
  { useFips, useDualStack }: { readonly useFips: boolean; readonly useDualStack: boolean },
): Endpoint | undefined {
  const partition = PARTITIONS.find(([regions]) => regions.test(region));
  if (partition === undefined) return undefined;
  const [, suffix, dualStackSuffix] = partition;
  // All endpoints of GovCloud are FIPS endpoints; only dual-stack ones have it in their names.
  const isNamedFips = useFips && (useDualStack || !region.startsWith('us-gov-'));
  const name = isNamedFips ? `${service}-fips` : service;
  return { url: new URL(`https://${name}.${region}.${useDualStack ? dualStackSuffix : suffix}`), region };
}

/** Returns a configured endpoint; undefined if it is not a plain `http(s)://host[:port]`. */
export function configuredEndpoint(text: string, region: string): Endpoint | undefined {
  if (!URL.canParse(text) || !isHostLabel(region)) return undefined;
  const url = new URL(text);
  const isPlain = url.href === `${url.protocol}//${url.host}/`; // no path, no query, no password
  if (!isPlain || !/^https?:$/.test(url.protocol) || url.host.startsWith('[')) return undefined;
  // The SDK rejects a dual-stack endpoint unless dual stack is set.
  return /(^|\.)api\.(aws|amazonwebservices|cloud-aws)\./.test(`${url.hostname}.`)
    ? undefined
    : { url, region };
}

/** Returns whether the SDK accepts a region. `fips-us-east-1` means FIPS to it. */
function isHostLabel(region: string): boolean {
  return /^(?!-)[a-z\d-]{1,63}(?<!-)$/i.test(region) && !/^fips-|-fips$/.test(region);
}
