/**
 * The type itself, from which TypeScript infers nothing: neither what a member of an option is, of its other
 * members, nor what a payload has, of the paths into it.
 */
export type Uninferred<Type> = [Type][Type extends unknown ? 0 : never];
