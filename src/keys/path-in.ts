/**
 * The paths of values in a payload: `orderId`, `customer.id`, `lines.0.sku`, with `Any` for all members or elements of one.
 * Any text where the type does not say what there is, such as `unknown` or a record of texts.
 *
 * @typeParam Payload The type of the payload.
 * @typeParam Any The text that stands for all members or elements of a value, such as `*`; none by default.
 */
export type PathIn<Payload, Any extends string = never> = PathTo<Payload, Any, Depth>;

/** Deeper than this any path is right: types of types would take long to be made. */
type Depth = [1, 1, 1, 1];

type PathTo<Payload, Any extends string, Left extends unknown[]> = unknown extends Payload
  ? string
  : Payload extends Leaf
    ? never
    : Left extends [unknown, ...infer Less]
      ? Payload extends readonly (infer Element)[]
        ? Below<`${number}` | Any, Element, Any, Less>
        :
            | {
                [Name in keyof Payload & (string | number)]: Below<`${Name}`, Payload[Name], Any, Less>;
              }[keyof Payload & (string | number)]
            | (Any extends never ? never : AnyMember<Payload, Any, Less>)
      : string;

type AnyMember<Payload, Any extends string, Left extends unknown[]> = Below<
  Any,
  Payload[keyof Payload],
  Any,
  Left
>;

type Below<Name extends string, Value, Any extends string, Left extends unknown[]> =
  | Name
  | (PathTo<Known<Value>, Any, Left> extends infer Path extends string ? `${Name}.${Path}` : never);

/** Without null and undefined; `unknown` stays what it is. */
type Known<Value> = unknown extends Value ? unknown : NonNullable<Value>;

/** What has no members that a path could name. */
type Leaf = string | number | boolean | bigint | symbol | null | undefined | ((...args: never[]) => unknown);
