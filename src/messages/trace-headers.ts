import type { EncodedMessage } from './encode-message.ts';

/** A W3C trace context, as it travels in the attributes of a message. */
export interface TraceHeaders {
  /** The `traceparent` header. Absent: there is no active span. */
  readonly traceparent?: string;
  /** The `tracestate` header. */
  readonly tracestate?: string;
}

/** Adds a trace context to a message. Targets refuse attributes with an empty value. */
export function withTrace(
  message: EncodedMessage,
  { traceparent, tracestate }: TraceHeaders,
): EncodedMessage {
  if (!traceparent) return message;
  const context = { traceparent, ...(tracestate && { tracestate }) };
  return { ...message, attributes: { ...message.attributes, ...context } };
}
