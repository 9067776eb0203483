/** A W3C trace context, as it travels in the attributes of a message. */
export interface TraceHeaders {
  /** The `traceparent` header. Absent: there is no active span. */
  readonly traceparent?: string;
  /** The `tracestate` header. */
  readonly tracestate?: string;
}
