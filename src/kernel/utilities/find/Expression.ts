/** Declares the types of the expressions of `find`: predicates over entries, and the state that their parsers share. */
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { WalkEntry } from "../shared/walk.ts"

export type Predicate = (entry: WalkEntry) => boolean | Promise<boolean>

export interface Expression {
  readonly test: Predicate
  readonly depthFirst: boolean
  readonly minDepth: number
  readonly maxDepth: number
  /** `-follow`: tests see the targets of links. */
  readonly follow: boolean
  /** `-xdev`: directories of other volumes are not entered. */
  readonly isOneVolume: boolean
  /** Runs the commands that `-exec … +` has not run yet. */
  readonly finish: () => Promise<void>
}

/** The state of parsing that primaries use and change. */
export interface ExpressionState {
  readonly io: UtilityIo
  /** Takes the next word, as the argument of a primary. */
  readonly takeArgument: (name: string) => string
  depthFirst: boolean
  minDepth: number
  maxDepth: number
  /** The syntax of the expressions after it, which `-regextype` chooses. */
  regexSyntax: "emacs" | "basic" | "extended"
  follow: boolean
  isOneVolume: boolean
  /** `-daystart`: ages count from the end of today. */
  fromDayEnd: boolean
  readonly finishers: Array<() => Promise<void>>
}

export type Primary = (state: ExpressionState, name: string) => Predicate
