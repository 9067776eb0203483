/** One list price, in US dollars, without any free tier, discount or tax. */
export interface Price {
  readonly usd: number;
  /** What the amount is for. */
  readonly per: string;
  /** AWS's page, which has the price of today. */
  readonly source: string;
}

/**
 * When they were looked up, in texts that quote AWS's pages (the youngest of them: DynamoDB's of August 2025, Lambda's
 * and SQS's of 2026). Whoever changes a price changes the date.
 */
export const PRICES_AS_OF = '2026-11-22';
export const PRICES_REGION = 'us-east-1';

const DYNAMODB = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const LAMBDA = 'https://aws.amazon.com/lambda/pricing/';
const SQS = 'https://aws.amazon.com/sqs/pricing/';
const MILLION = 1_000_000;

export const PRICES = {
  /** On-demand capacity, standard table class; half of what it was before 2024-11-01. */
  writeUnit: { usd: 0.625 / MILLION, per: 'write request unit', source: DYNAMODB },
  readUnit: { usd: 0.125 / MILLION, per: 'read request unit', source: DYNAMODB },
  /** x86, the first tier. INIT is billed since 2025-08-01. */
  gigabyteSecond: { usd: 0.0000166667, per: 'GB-second', source: LAMBDA },
  invocation: { usd: 0.2 / MILLION, per: 'invocation', source: LAMBDA },
  /** Standard queue, the first tier, up to 64 KB a request. */
  queueRequest: { usd: 0.4 / MILLION, per: 'request', source: SQS },
} as const satisfies Record<string, Price>;
