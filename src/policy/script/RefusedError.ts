/**
 * Exception that carries a refusal out of the check of a script.
 *
 * @module
 */
import { type Refusal, undecided } from "../Refusal.ts"

/** Thrown while a script is looked at, so that the first refusal ends it; caught where that began. */
export class RefusedError {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

/** Refuses what cannot be told. */
export const refuse: (value: string, issue: string) => never = (value, issue) => {
  throw new RefusedError(undecided(value, issue))
}

/** Refuses if there is a reason to. */
export const refuseIf = (refusal: Refusal | undefined): void => {
  if (refusal !== undefined) throw new RefusedError(refusal)
}
