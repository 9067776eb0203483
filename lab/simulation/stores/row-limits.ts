/**
 * What a store says that it keeps of a result, in bytes, and how large a row may be: a hundredth of what they are,
 * with less room between them than the default format leaves, as there is where other attributes are in the row.
 */
export const RESULT_LIMIT = 3_600;
export const ROW_LIMIT = 4_096;
