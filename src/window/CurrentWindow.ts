/** Declares the window policy that a call asks for, for the fiber that runs its commands. */
import * as Context from "effect/Context"
import type { Policy } from "./Policy.ts"

/** Policy of the output that a shell reports while a command runs; `undefined` for the shell's own. */
export const CurrentWindow: Context.Reference<Policy | undefined> = Context.Reference<Policy | undefined>(
  "sluice/window/CurrentWindow",
  { defaultValue: () => undefined },
)
