/**
 * Where an assignment goes instead of the variable that its name means now.
 *
 * @module
 */
import type { Variable } from "./Variable.ts"

/** A local variable. It is made when the value, which may use the old one, is known. */
export interface AssignmentTarget {
  readonly isTable: boolean
  readonly make: () => Variable
}
