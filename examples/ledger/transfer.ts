/** What the bank sends for every transfer, as an SQS body. */
export type Transfer = {
  transferId: string;
  from: string;
  to: string;
  /** In cents, a positive integer. */
  amountCents: number;
};
