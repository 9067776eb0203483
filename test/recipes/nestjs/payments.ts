import { Injectable } from '@nestjs/common';

export interface Order {
  readonly orderId: string;
}

/** In place of a payment provider. */
@Injectable()
export class Payments {
  async charge(order: Order, _options: { readonly idempotencyKey: string }): Promise<{ chargeId: string }> {
    console.log(`charged ${order.orderId}`);
    return { chargeId: `charge-${order.orderId}` };
  }
}
