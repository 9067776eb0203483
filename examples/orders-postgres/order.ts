/** What a shop sends for every order, as an SQS body. */
export type Order = {
  orderId: string;
  sku: string;
  /** A positive integer. */
  quantity: number;
};
