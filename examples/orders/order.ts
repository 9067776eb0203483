/** What the shop sends for every order, as an SQS body and as the `detail` of an `OrderPlaced` event. */
export type Order = {
  orderId: string;
  customerId: string;
  /** In cents of the currency, a positive integer. */
  amountCents: number;
  /** ISO 4217, such as `EUR`. */
  currency: string;
};
