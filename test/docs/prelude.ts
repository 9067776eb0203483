/**
 * What the code of the pages leaves to its readers, by the names it uses: their types, functions and clients. Each is a
 * global of every block.
 */
import type { ClaimAdmin } from 'batchlatch/operations';
import type { ClaimStore, RecordHandler } from 'batchlatch';
import type { CommitItem } from 'batchlatch/dynamodb';
import type { RowSender } from 'batchlatch/outbox';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Message } from '../../src/messages/message.ts';
import type { Messages } from '../../src/messages/messages.ts';

export interface Order {
  readonly orderId: string;
  readonly amountCents: number;
}

export interface Transfer {
  readonly transferId: string;
  readonly from: string;
  readonly to: string;
  readonly amountCents: number;
}

export interface Import {
  readonly id: string;
  readonly rows: readonly object[];
}

interface Charge {
  readonly chargeId: string;
  readonly status: number;
  readonly retryAfterMs: number;
}

interface ChargeOptions {
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

export declare const order: Order;
export declare const queueUrl: string;
export declare const orderMessages: Messages<{
  readonly OrderPlaced: Message<z.ZodType<Order, Order>>;
}>;
export declare const sender: RowSender;
export declare const handler: RecordHandler;
export declare const store: ClaimStore;
export declare const admin: ClaimAdmin;
export declare const db: Kysely<{ readonly orders: Order }>;
export declare const rows: {
  putUnlessThere(id: string): Promise<boolean>;
  markCompleted(id: string): Promise<void>;
  delete(id: string): Promise<void>;
};
export declare const shipments: { create(order: Order, charge: Charge): Promise<{ readonly id: string }> };
export declare const payments: { charge(order: Order, options?: ChargeOptions): Promise<Charge> };
export declare function charge(order: { readonly orderId: string }): Promise<Charge>;
export declare function chargeOrder(record: unknown): Promise<Charge>;
export declare function paymentOf(event: object): Order;
export declare function pay(request: Request): Promise<Response>;
export declare function postingsOf(transfer: Transfer): CommitItem[];
export declare function renderInvoice(): Promise<{ readonly pages: readonly string[] }>;
export declare function forward(partitionKey: string, orderId: string): Promise<void>;
export declare function reindex(keys: object, item: object | undefined): Promise<void>;
export declare function save(row: object): Promise<void>;
export declare function insert(row: object, options: { readonly signal: AbortSignal }): Promise<void>;
export declare function insertAll(orders: readonly Order[]): Promise<void>;
export declare function decrypt(
  data: string | Uint8Array,
  attributes: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Uint8Array>;
export declare function verifyToken(
  request: Request,
): Promise<{ readonly sub: string; readonly tenant: string; readonly roles: readonly string[] }>;
export const OrderSchema = z.object({ orderId: z.string(), amountCents: z.number() });
export const DAY_MS = 86_400_000;
