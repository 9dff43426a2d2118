/** Declares the types of the steps of a scripted command: an action on its process, or a fault that ends it. */
import type * as Effect from "effect/Effect"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { MockProcess } from "./MockProcess.ts"

/** A step that a scripted process performs. */
export interface MockAction {
  readonly _tag: "MockAction"
  readonly play: (process: MockProcess) => Effect.Effect<void>
}

/** A step that ends the command with a fault. */
export interface MockFailure {
  readonly _tag: "MockFailure"
  readonly reason: FaultReason
  readonly message: string | undefined
}

/** One step of a run. */
export type MockStep = MockAction | MockFailure

/** The steps of a command, in order. After the last step it exits with 0, unless a step has ended it. */
export type MockRun = MockStep | ReadonlyArray<MockStep>
