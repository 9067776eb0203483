/** One envelope around a payload, as a queue, a topic or a stream delivers it that is the target of another service. */
export type UnwrapStep = 'eventbridge' | 'sns' | 's3';

/**
 * What a body wraps: an EventBridge event (a rule with a queue as target), an SNS notification, or an S3 event
 * notification; several, from the outermost to the innermost, as a list: `['sns', 's3']`.
 */
export type Unwrap = UnwrapStep | readonly UnwrapStep[];

/** `unwrap` as a list. */
export function unwrapSteps(unwrap: Unwrap | undefined): readonly UnwrapStep[] {
  if (unwrap === undefined) return [];
  return typeof unwrap === 'string' ? [unwrap] : unwrap;
}
