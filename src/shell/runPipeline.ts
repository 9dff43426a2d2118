/** Runs commands as a pipeline without a shell, in one admission slot. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { completeLater } from "../base/waits.ts"
import type { ShellOutput, ShellOutputChunk, StageExit } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { RendezvousPipe } from "./RendezvousPipe.ts"
import { SharedSlot } from "./SharedSlot.ts"
import type { LeafRunOptions, ShellRunOptions, ShellService } from "./ShellService.ts"

/** Options of a pipeline: `stdin` of the first stage, `chunking` of the last, `signal` for all. */
export interface PipelineOptions extends Pick<ShellRunOptions, "stdin" | "chunking" | "signal"> {
  /** Whether the exit code is the one of the last stage that failed, as with `set -o pipefail`. Default: the last stage's. */
  readonly pipefail?: boolean | undefined
}

/** Options of a pipeline whose last stdout may go to a writer. */
export interface PipelineRunOptions extends PipelineOptions, Pick<LeafRunOptions, "stdout"> {}

type Events = Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>

const stageExit = (stage: ShellExec, output: ShellOutput): StageExit => ({
  commandId: output.commandId,
  command: stage.command,
  exitCode: output.exitCode,
  ...(output.signal === undefined ? undefined : { signal: output.signal }),
})

/** Combines the last events of all stages: the last stage's, with the exits and stderr of all. */
const joinOutputs = (
  stages: ReadonlyArray<ShellExec>,
  outputs: ReadonlyArray<ShellOutput>,
  last: ShellOutput,
  pipefail: boolean,
): ShellOutput => {
  const { signal: lastSignal, ...rest } = last
  const deciding = pipefail ? outputs.findLast((output) => output.exitCode !== 0) ?? last : last
  const signal = deciding === last ? lastSignal : deciding.signal
  const sum = (count: (output: ShellOutput) => number): number => outputs.reduce((all, each) => all + count(each), 0)
  return {
    ...rest,
    exitCode: deciding.exitCode,
    ...(signal === undefined ? undefined : { signal }),
    stderr: outputs.map((output) => output.stderr).join(""),
    stderrBytes: sum((output) => output.stderrBytes),
    stderrBytesOmitted: sum((output) => output.stderrBytesOmitted),
    duration: Math.max(...outputs.map((output) => output.duration)),
    completed: Math.max(...outputs.map((output) => output.completed)),
    drain: outputs.every((output) => output.drain === "eof") ? "eof" : "cut",
    stages: stages.flatMap((stage, index) => {
      const output = outputs[index]
      return output === undefined ? [] : [stageExit(stage, output)]
    }),
  }
}

/**
 * Runs a pipeline. The first stage acquires a slot of the concurrency limit, and the others start in the same slot: a
 * pipeline that waited for a slot for each stage could wait for itself. The slot is released when the last process has been
 * reaped.
 */
export const runPipeline = (
  shell: Pick<ShellService, "exec">,
  stages: ReadonlyArray<ShellExec>,
  options: PipelineRunOptions,
): Events =>
  Stream.suspend(() => {
    const outputs: Array<ShellOutput> = []
    const slot = new SharedSlot(stages.length)
    const started = Deferred.makeUnsafe<void>()
    let stdin = options.stdin
    let before: RendezvousPipe | undefined
    const running = stages.map((stage, index): Events => {
      const isLast = index === stages.length - 1
      const pipe = isLast ? undefined : new RendezvousPipe()
      const target = pipe ?? options.stdout
      const [source, reads] = [stdin, before]
      stdin = pipe?.stream
      before = pipe
      const events = shell.exec(stage, {
        chunking: options.chunking,
        signal: options.signal,
        slot,
        ...(source === undefined ? undefined : { stdin: source }),
        ...(target === undefined ? undefined : { stdout: target }),
        ...(index === 0 ? { onSpawn: () => completeLater(started, Effect.void) } : { admission: false }),
      }).pipe(
        Stream.filter((event): event is ShellOutputChunk => {
          if (event._tag !== "ShellOutput") return true
          outputs[index] = event
          return false
        }),
      )
      // A leaf may end without having called `onSpawn` or `stdout`. A leaf that fails starts no other stage.
      const ending = Stream.onEnd(
        events,
        Effect.sync(() => {
          if (index === 0) completeLater(started, Effect.void)
          void pipe?.end()
        }),
      )
      const closing = reads === undefined ? ending : Stream.ensuring(ending, Effect.sync(reads.close))
      return index === 0 ? closing : Stream.unwrap(Effect.as(Deferred.await(started), closing))
    })
    return Stream.concat(
      Stream.ensuring(
        Stream.mergeAll(running, { concurrency: "unbounded", bufferSize: 1 }),
        Effect.sync(() => slot.close()),
      ),
      Stream.suspend(() => {
        const last = outputs[stages.length - 1]
        return last === undefined
          ? Stream.empty
          : Stream.succeed(joinOutputs(stages, outputs, last, options.pipefail === true))
      }),
    )
  })
