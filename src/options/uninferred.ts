/** The type itself, but TypeScript does not infer it from values of this type. */
export type Uninferred<Type> = [Type][Type extends unknown ? 0 : never];
