/** Holds the slot of a run among those that its leaf admits. */
import type * as Context from "effect/Context"
import type { ShellExec } from "../command/ShellExec.ts"
import type { Admission } from "./Admission.ts"
import { setGauge } from "./observe.ts"
import type { SharedSlot } from "./SharedSlot.ts"

/**
 * Holds an acquired slot, alone or for the stages of a pipeline. Returns the function that releases it; only the first
 * call has an effect.
 */
export const holdSlot = (
  admission: Admission,
  exec: ShellExec,
  context: Context.Context<never>,
  { shared, takesSlot }: { readonly takesSlot: boolean; readonly shared: SharedSlot | undefined },
): () => void => {
  const leave = (): void => {
    admission.release(exec)
    setGauge("running", admission.running, context)
  }
  if (takesSlot) shared?.take(leave)
  let isHeld = takesSlot || shared !== undefined
  return () => {
    if (!isHeld) return
    isHeld = false
    if (shared === undefined) leave()
    else shared.leave()
  }
}
