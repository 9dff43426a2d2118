/** Runs the commands of a run on a local shell, alone or as a pipeline, and returns their events. */
import type * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/plain/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { runPipeline } from "../shell/runPipeline.ts"
import type { ShellService, StartedProcess } from "../shell/ShellService.ts"
import type { Outputs } from "./openOutputs.ts"
import type { RunShell, Stage } from "./Stage.ts"

export type Events = Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>

/** The stdin of the first command, unless it is a value. */
export type StageInput = "inherit" | Stream.Stream<Uint8Array, unknown> | undefined

export interface StageSettings {
  readonly stdin: StageInput
  readonly outputs: Outputs | undefined
  readonly streamOutput: boolean
  readonly signal: AbortSignal
  readonly pipefail: boolean
  readonly onSpawn: (process: StartedProcess, index: number) => void
}

/** Runs the commands and returns their events. */
export const stageEvents = (
  shell: RunShell,
  stages: ReadonlyArray<Stage>,
  settings: StageSettings,
): Events => {
  const { onSpawn, outputs, pipefail, signal, stdin, streamOutput } = settings
  const execs = stages.map(({ exec }) => new ShellExec({ ...exec, streamOutput }))
  const wired: Pick<ShellService, "exec"> = {
    exec: (exec, options) => {
      const index = execs.indexOf(exec)
      const wires = outputs?.wires[index]
      return shell.exec(exec, {
        ...options,
        ...wires,
        descriptors: { ...wires?.descriptors, ...(index === 0 && stdin === "inherit" ? { stdin } : undefined) },
        onSpawn: (process) => {
          onSpawn(process, index)
          options?.onSpawn?.(process)
        },
      })
    },
  }
  const options = { stdin: stdin === "inherit" ? undefined : stdin, signal }
  const [only] = execs
  return only !== undefined && execs.length === 1
    ? wired.exec(only, options)
    : runPipeline(wired, execs, { ...options, pipefail })
}
