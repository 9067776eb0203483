/** The type itself, from which TypeScript infers nothing: it has to be said elsewhere. */
export type Uninferred<Type> = [Type][Type extends unknown ? 0 : never];
