/** Test of one value of an event: a string, number, boolean or null. */
export type ValueTest = (value: unknown) => boolean;
