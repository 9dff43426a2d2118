/** Starts the commands of a pipeline, connects them, and joins their handles into one. */
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import { type ChildProcessHandle, makeHandle } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { SpawnerContext } from "./ScopedProcess.ts"
import { type SpawnedStage, spawnStandard } from "./spawnStandard.ts"
import { resolveInput } from "./stdio.ts"

interface Stage {
  readonly command: ChildProcess.StandardCommand
  /** Connection to the previous stage. */
  readonly options: ChildProcess.PipeOptions
}

/** Flattens a pipeline to its stages, from left to right; it may contain pipelines on both sides. */
const stagesOf = (command: ChildProcess.Command, options: ChildProcess.PipeOptions): ReadonlyArray<Stage> =>
  command._tag === "StandardCommand"
    ? [{ command, options }]
    : [...stagesOf(command.left, options), ...stagesOf(command.right, command.options)]

type Bytes = Stream.Stream<Uint8Array, PlatformError.PlatformError>

/** The input of a stage. A stage that stops reading closes the previous output, like the end of a pipe. */
const sourceOf = ({ closeOutput, handle }: SpawnedStage, from: ChildProcess.PipeFromOption = "stdout"): Bytes => {
  const fd = ChildProcess.parseFdName(from)
  const [name, stream] = fd !== undefined
    ? [from, handle.getOutputFd(fd)] as const
    : from === "stderr" || from === "all"
    ? [from, handle[from]] as const
    : ["stdout", handle.stdout] as const
  return Stream.ensuring(stream, Effect.sync(() => closeOutput(name)))
}

const fedWith = (
  source: Bytes,
  { command, options: { to = "stdin" } }: Stage,
): ChildProcess.StandardCommand => {
  const { additionalFds, ...options } = command.options
  const fd = ChildProcess.parseFdName(to)
  if (fd === undefined) {
    return ChildProcess.make(command.command, command.args, {
      ...command.options,
      stdin: { ...resolveInput(options), stream: source },
    })
  }
  const name = `fd${fd}` as const
  const before = additionalFds?.[name]
  return ChildProcess.make(command.command, command.args, {
    ...options,
    additionalFds: {
      ...additionalFds,
      [name]: before?.type === "duplex" ? { ...before, stream: source } : { type: "input", stream: source },
    },
  })
}

const handleOf = (first: ChildProcessHandle, last: ChildProcessHandle, all: ReadonlyArray<ChildProcessHandle>) =>
  makeHandle({
    pid: last.pid,
    exitCode: last.exitCode,
    isRunning: last.isRunning,
    kill: (options) => Effect.forEach(all.toReversed(), (each) => Effect.ignore(each.kill(options)), { discard: true }),
    stdin: first.stdin,
    stdout: last.stdout,
    stderr: last.stderr,
    all: last.all,
    getInputFd: last.getInputFd,
    getOutputFd: last.getOutputFd,
    unref: Effect.map(
      Effect.forEach(all, (each) => each.unref),
      (rerefs) => Effect.forEach(rerefs.toReversed(), (reref) => reref, { discard: true }),
    ),
  })

/** Starts a command, or all commands of a pipeline from left to right. */
export const spawnPipeline = (
  context: SpawnerContext,
  command: ChildProcess.Command,
): Effect.Effect<ChildProcessHandle, PlatformError.PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const [root, ...rest] = stagesOf(command, {})
    if (root === undefined) return yield* Effect.die(new Error("a pipeline has at least one command"))
    const first = yield* spawnStandard(context, root.command)
    let last = first
    const all = [first.handle]
    for (const stage of rest) {
      last = yield* spawnStandard(context, fedWith(sourceOf(last, stage.options.from), stage))
      all.push(last.handle)
    }
    return all.length === 1 ? first.handle : handleOf(first.handle, last.handle, all)
  })
