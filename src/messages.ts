/**
 * Messages with types: one description of them for their sender and their consumer, and handlers by type.
 * Everything that reads a description (`batchlatch/sender`, `batchlatch/outbox`, `routes()`) takes it from
 * here.
 *
 * @module batchlatch/messages
 */
export { message, type Message, type MessageOptions } from './messages/message.ts';
export {
  type HandledAs,
  messages,
  type Messages,
  type MessageTypes,
  type SentAs,
} from './messages/messages.ts';
export type { Upgrade } from './messages/upgrade.ts';
export { outboxId } from './messages/outbox-id.ts';
export { UnknownTypeError, UnknownVersionError } from './routes/errors.ts';
export { from, UpgradeFailedError } from './routes/from.ts';
export { route, type Route, type RouteOptions } from './routes/route.ts';
export {
  type HandlerOf,
  type RouteHandler,
  type RouteHandlers,
  type RouteMode,
  routes,
  type Routes,
  type RoutesOptions,
} from './routes/routes.ts';
export { cloudEvents, field, type TypeReader } from './routes/type-reader.ts';
