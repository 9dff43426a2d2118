/** Declares the input and the answer of the batch's process, as JSON. */
import type { AccessPolicy } from "../../../src/policy/mod.ts"

/** Settings of a policy, but for rules of arguments, which no JSON can say. Fields that are added later work as well. */
export type Settings =
  & Omit<ConstructorParameters<typeof AccessPolicy>[0], "argumentRules">
  & Readonly<Record<string, unknown>>

/** A script, or a program with arguments. */
export interface Item {
  readonly id: string
  readonly script?: string
  readonly words?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
}

export interface Job {
  readonly settings: Settings
  /** Each item has a folder of its own in here, which is there already or is made. */
  readonly place: string
  readonly items: ReadonlyArray<Item>
  readonly concurrency: number
  readonly timeoutMillis: number
}

/** What became of an item: a line of its own each, in the order in which they ended. */
export interface Answer {
  readonly id: string
  /** `ran`: with an exit status. `refused`: by the policy. `failed`: a fault of another kind. */
  readonly outcome: "ran" | "refused" | "failed"
  readonly status?: number
  /** The fault's tag. */
  readonly fault?: string
  readonly message?: string
  readonly stdout?: string
  readonly stderr?: string
}
