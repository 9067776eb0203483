/** What the examples in TSDoc leave to their readers, beside `prelude.ts`. */
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ClaimStore, Message, Messages } from 'batchlatch';
import type { BatchQueue, ClaimMonitor, ClaimsTable } from 'batchlatch-cdk';
import type { PostgresPool } from 'batchlatch/postgres';
import type { ManualClock } from 'batchlatch/testing';

interface Requests {
  post(path: string, answer: (context: { readonly req: { readonly raw: Request } }) => unknown): void;
}

export declare const app: Requests;
export declare const chargeOrders: LambdaFunction;
export declare const claims: ClaimsTable;
export declare const key: string;
export declare const monitor: ClaimMonitor;
export declare const onCall: IRole;
export declare const orders: BatchQueue;
export declare const orderPlaced: StandardSchemaV1<{ orderId: string; tenantId: string }>;
export declare const orderCancelled: StandardSchemaV1<{ orderId: string; tenantId: string }>;
export declare const orderV1: StandardSchemaV1<{ id: string; tenantId: string }>;
export declare const orderV2: StandardSchemaV1<{ orderId: string; tenantId: string }>;
export declare const orderMessages: Messages<{
  OrderPlaced: Message<typeof orderPlaced>;
  OrderCancelled: Message<typeof orderCancelled>;
}>;
export declare const pool: PostgresPool & { query(text: string): Promise<unknown> };
export declare const tableName: string;
export declare const topic: ITopic;
export declare const url: string;
export declare function refund(order: { readonly orderId: string }): Promise<void>;
export declare function insertPayment(client: unknown, request: unknown): Promise<object>;
export declare function myStore(options: { readonly clock: ManualClock }): ClaimStore;
