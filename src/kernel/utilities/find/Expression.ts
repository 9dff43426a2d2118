import type { Found } from "../kit/walk.ts"

/** A part of an expression: whether it holds for what was found. What it does besides may have to wait. */
export type Test = (found: Found) => boolean | Promise<boolean>

/** An expression that was read. */
export interface Expression {
  readonly test: Test
  readonly depthFirst: boolean
  readonly least: number
  readonly most: number
  /** Runs what `-exec … +` has gathered. */
  readonly finish: () => Promise<void>
}
