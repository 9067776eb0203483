/** What the examples in TSDoc leave to their readers, beside `prelude.ts`. */
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { ClaimStore } from 'batchlatch';
import type { Message, Messages } from 'batchlatch/messages';
import type { BatchQueue, ClaimMonitor, ClaimsTable } from 'batchlatch-cdk';
import type { PostgresPool } from 'batchlatch/postgres';
import type { ManualClock } from 'batchlatch/testing';
import type { z } from 'zod';

interface Requests {
  post(path: string, answer: (context: { readonly req: { readonly raw: Request } }) => unknown): void;
}

export declare const app: Requests;
export declare const chargeOrders: LambdaFunction;
export declare const claims: ClaimsTable;
export declare const key: string;
export declare const monitor: ClaimMonitor;
export declare const onCall: IRole;
/** Of the CDK's examples a queue, of the sender's its messages. */
export declare const orders: BatchQueue & Messages<{ OrderPlaced: Message<typeof orderPlaced> }>;
export declare const orderCancelled: z.ZodType<
  { orderId: string; tenantId: string },
  { orderId: string; tenantId: string }
>;
export declare const orderId: string;
export declare const orderPlaced: z.ZodType<
  { orderId: string; tenantId: string; total: number },
  { orderId: string; tenantId: string; total: number }
>;
export declare const orderV1: z.ZodType<{ id: string }>;
export declare const orderV2: z.ZodType<{ orderId: string }, { orderId: string }>;
export declare const orderMessages: Messages<{
  OrderPlaced: Message<typeof orderPlaced>;
  OrderCancelled: Message<typeof orderCancelled>;
}>;
export declare const relayFunction: LambdaFunction;
export declare const sweepFunction: LambdaFunction;
export declare const pool: PostgresPool & { query(text: string): Promise<unknown> };
export declare const tableName: string;
export declare const tenantId: string;
export declare const topic: ITopic;
export declare const total: number;
export declare const url: string;
export declare function expect(value: unknown): { toEqual(expected: unknown): void };
export declare function refund(order: { readonly orderId: string }): Promise<void>;
export declare function insertPayment(client: unknown, request: unknown): Promise<object>;
export declare function placeOrder(sender: object): Promise<void>;
export declare function myStore(options: { readonly clock: ManualClock }): ClaimStore;
