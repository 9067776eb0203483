import { standardSchema } from '../around/standard-schema.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { SchemaPolicy } from '../batch/context.ts';
import type { Message } from '../messages/message.ts';
import { keyOfBody } from '../messages/message-key.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Route, RouteOptions } from './route.ts';
import type { TypeReader } from './type-reader.ts';

/** A declared type with its handler. */
export interface DeclaredRoute extends Route<unknown> {
  readonly type: string;
  readonly message: Message;
}

/** A route of a processor, for all of its batches. */
export interface RouteSettings {
  /** Undefined: the records of other types. */
  readonly declared: { readonly type: string; readonly message: Message } | undefined;
  readonly handler: unknown;
  readonly options: RouteOptions;
  readonly schema: SchemaPolicy<unknown> | undefined;
  /** Returns the key that the type itself defines; undefined if it defines none. */
  readonly ownKey: ((record: BatchRecord) => string) | undefined;
  /** The slots of this process; undefined: the route has no `concurrency`. */
  readonly slots: Semaphore | undefined;
}

/** The routes of a processor, as its batches use them. */
export interface AllRoutes {
  readonly reader: TypeReader;
  readonly known: ReadonlyMap<string, RouteSettings>;
  readonly otherwise: RouteSettings | undefined;
  readonly hasOwnSlots: boolean;
}

export function settingsOf(
  { handler, options }: Route<unknown>,
  declared: RouteSettings['declared'],
): RouteSettings {
  return {
    declared,
    handler,
    options,
    schema: declared && standardSchema(declared.message.schema),
    ownKey: declared && ownKeyOf(declared.message),
    slots: options.concurrency === undefined ? undefined : new Semaphore(options.concurrency),
  };
}

function ownKeyOf(message: Message): RouteSettings['ownKey'] {
  const keyOf = keyOfBody(message);
  if (keyOf === undefined) return undefined;
  // Paths refuse numbers that a double cannot hold; functions get the body as handlers know it.
  const isFunction = typeof message.options.key === 'function';
  return (record) => keyOf(isFunction ? record.body : exactBody(record));
}
