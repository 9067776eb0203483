import { createHash, createHmac } from 'node:crypto';

/** What a request to DynamoDB is signed with. */
export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

const SERVICE = 'dynamodb';
const SIGNED_HEADERS = 'content-type;host;x-amz-date;x-amz-target';

/** Signs with AWS Signature Version 4, by hand. The key of the day is derived once. */
export function createSigner({
  accessKeyId,
  secretAccessKey,
  region,
}: SigningKey): (host: string, target: string, body: string) => Record<string, string> {
  let keyDay = '';
  let key: Buffer | undefined;

  function keyOf(day: string): Buffer {
    if (key === undefined || keyDay !== day) {
      keyDay = day;
      key = [day, region, SERVICE, 'aws4_request'].reduce<Buffer>(
        hmac,
        Buffer.from(`AWS4${secretAccessKey}`),
      );
    }
    return key;
  }

  return (host, target, body) => {
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${SERVICE}/aws4_request`;
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      host,
      'x-amz-date': time,
      'x-amz-target': target,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    const canonical = `POST\n/\n\n${lines.join('')}\n${SIGNED_HEADERS}\n${sha256(body)}`;
    const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
    const signature = hmac(keyOf(day), toSign).toString('hex');
    return {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`,
    };
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
