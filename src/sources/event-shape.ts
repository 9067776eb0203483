/** Names in an event may be as long as the event. */
const LONGEST_NAME = 60;

/** What an event is, for the message of an error: its kind, or the names of its members, with `service` where it is known. */
export function eventShape(event: unknown, service?: string): string {
  if (event === null || typeof event !== 'object')
    return `an event that is ${event === null ? 'null' : `a ${typeof event}`}`;
  if (Array.isArray(event))
    return event.length === 0 ? 'an empty array' : `an array of ${event.length} records`;
  const members = Object.keys(event);
  if (members.length === 0) return 'an empty event';
  return (
    `an event ${service === undefined ? '' : `of ${service} `}` +
    `with ${members.slice(0, 8).map(shownName).join(', ')}${members.length > 8 ? ', …' : ''}`
  );
}

export function shownName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
