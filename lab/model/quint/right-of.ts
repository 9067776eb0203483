/** What Quint's functions give: a value, or what is wrong. */
interface Either<Value> {
  isLeft(): boolean;
  unwrap(): Value;
  readonly value: unknown;
}

/** The value; throws what is wrong. */
export function rightOf<Value>(either: Either<Value>): Value {
  if (!either.isLeft()) return either.unwrap();
  const wrong = either.value as { readonly stage?: { readonly errors?: unknown } };
  const details = wrong.stage?.errors ?? wrong;
  const numbers = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
  throw new Error(`lab/model/claim.qnt: ${JSON.stringify(details, numbers)}`);
}
