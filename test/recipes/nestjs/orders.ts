import 'reflect-metadata';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createBatchProcessor, payloadHash, type RecordHandler } from 'batchlatch';
import { type Order, Payments } from './payments.ts';

@Injectable()
class Orders {
  constructor(@Inject(Payments) private readonly payments: Payments) {}

  readonly charge: RecordHandler<Order> = async ({ body }, { idempotencyKey }) =>
    this.payments.charge(body, { idempotencyKey });
}

@Module({ providers: [Orders, Payments] })
class OrdersModule {}

const application = await NestFactory.createApplicationContext(OrdersModule, { logger: ['error', 'warn'] });

export const handler = createBatchProcessor<Order>(application.get(Orders).charge, {
  key: payloadHash({ include: ['orderId'] }),
});
