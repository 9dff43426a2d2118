import type { WalkEntry } from "../shared/walk.ts"

/** A part of an expression: whether it holds for what was found. What it does besides may have to wait. */
export type Predicate = (found: WalkEntry) => boolean | Promise<boolean>

/** An expression that was read. */
export interface Expression {
  readonly test: Predicate
  readonly depthFirst: boolean
  readonly minDepth: number
  readonly maxDepth: number
  /** Runs what `-exec … +` has gathered. */
  readonly finish: () => Promise<void>
}
