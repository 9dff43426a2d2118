/** Makes the runs of scripts in the kernel's shell, whose programs are commands on a leaf. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { makeProcessRuns, type ProcessLeaf, type ProcessRunOptions, type ProcessRuns } from "../shell/ProcessLeaf.ts"
import { resolveLeafSettings } from "../shell/LeafOptions.ts"
import type { ExitFault } from "../shell/SpawnedProcess.ts"
import { TurnGate } from "../shell/TurnGate.ts"
import type { ScriptLeaf } from "./HostProgram.ts"
import type { ScriptPlan } from "./ScriptPlan.ts"
import { ScriptRun } from "./ScriptRun.ts"

/** Maximum number of concurrent scripts of one leaf; their commands take the slots of the leaf. */
const maxScripts = 256

export type ScriptTimes = Pick<ProcessLeaf, "timeoutMillis" | "grace" | "drainGraceMillis">

/** Makes the plan of a script; `refuse` ends the script with a fault while it runs. */
export type MakeScriptPlan = (
  exec: ShellExec,
  options: ProcessRunOptions,
  refuse: (fault: ExitFault) => void,
) => Effect.Effect<ScriptPlan, ShellFault>

/** Makes the runs. `plan` decides what a script may do. */
export const makeScriptRuns = (leaf: ScriptLeaf, plan: MakeScriptPlan, times?: ScriptTimes): ProcessRuns => {
  // All scripts of the leaf share it.
  const gate = new TurnGate()
  return makeProcessRuns({
    ...resolveLeafSettings("scripts", { maxConcurrency: maxScripts }),
    ...times,
    hasPortableShell: true,
    prepare: (exec, stdin, options) =>
      Result.succeed(
        Effect.withFiber(({ context }) => {
          const run = new ScriptRun(leaf, gate, options.admission !== false, context)
          const planned = plan(exec, options, (fault) => run.fail(fault))
          return Effect.flatMap(planned, (each) => run.start(exec, each, stdin))
        }),
      ),
  })
}
