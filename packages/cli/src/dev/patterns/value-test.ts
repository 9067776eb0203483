/** Whether one value of an event (a string, number, boolean or null) matches. */
export type ValueTest = (value: unknown) => boolean;
