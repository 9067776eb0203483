/**
 * The paths of values in a payload: `orderId`, `customer.id`, `lines.0.sku`, with `Any` for all members or
 * elements. Any string if the payload's type does not tell, such as `unknown` or a record of strings.
 *
 * @typeParam Payload The type of the payload.
 * @typeParam Any The part that matches all members or elements of a value, such as `*`. Default: none.
 */
export type PathIn<Payload, Any extends string = never> = PathTo<Payload, Any, Depth>;

/** Deeper paths are not checked: the types would be slow to compute. */
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

/** Excludes null and undefined, but keeps `unknown`. */
type Known<Value> = unknown extends Value ? unknown : NonNullable<Value>;

/** Types without members that a path could name. */
type Leaf = string | number | boolean | bigint | symbol | null | undefined | ((...args: never[]) => unknown);
