import aws4 from 'aws4';

/** What requests are signed with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface UnsignedRequest {
  /** As the `Host` header has it: with its port, if that is not the protocol's own. */
  readonly host: string;
  /** Of the signature's scope. */
  readonly service: string;
  /** `DynamoDB_20120810.PutItem`. */
  readonly target: string;
  readonly body: string;
  readonly userAgent: string;
}

export interface Signing {
  readonly credentials: Credentials;
  /** Of the signature's scope. */
  readonly region: string;
  readonly time: Date;
}

/** The headers of a request, with its signature: AWS Signature Version 4 (docs.aws.amazon.com, "Signing AWS API requests"). */
export function signedHeaders(
  { host, service, target, body, userAgent }: UnsignedRequest,
  { credentials, region, time }: Signing,
): Record<string, string | number> {
  const { headers } = aws4.sign(
    {
      service,
      region,
      method: 'POST',
      path: '/',
      body,
      headers: {
        Host: host,
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': target,
        'User-Agent': userAgent, // not signed: proxies may change it
        'X-Amz-Date': time.toISOString().replaceAll(/[-:]|\.\d{3}/g, ''),
      },
    },
    credentials,
  );
  return headers as Record<string, string | number>;
}
