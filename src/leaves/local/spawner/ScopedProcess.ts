/** Starts a process in a scope, owns its output pipes, and ends it when the scope closes. */
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type { KillOptions } from "effect/process/ChildProcess"
import type * as Scope from "effect/Scope"
import type { ByteReader } from "../../../shell/SpawnedProcess.ts"
import type { Host, HostProcess } from "../../../host/Host.ts"
import type { Resolver } from "../plan/makeResolver.ts"
import type { Platform } from "../../../host/paths.ts"
import { newMarker } from "../../../host/runMarker.ts"
import { startProcess } from "../start/startCommand.ts"
import type { Terminator } from "../end/Terminator.ts"
import { ChildTree } from "./ChildTree.ts"
import { PulledPipe } from "./PulledPipe.ts"
import { planProcess } from "./planProcess.ts"
import { type ProcessDescription, spawnFailed } from "./platformErrors.ts"

/** The shared state of a spawner's processes. */
export interface SpawnerContext {
  readonly host: Host
  readonly platform: Platform
  readonly terminator: Terminator
  readonly resolve: Resolver
}

/**
 * Bytes that are read ahead of an output without a reader, while another is read or the exit is awaited. Effect's Node
 * spawner reads a little more (340 KB on Linux), and programs that do not read everything depend on this.
 */
const roomBytes = 262_144

const pipesOf = (
  { extra, stderr, stdout }: HostProcess,
  { givesBuffers }: Host,
): ReadonlyMap<string, PulledPipe> => {
  const pipes = new Map<string, PulledPipe>()
  const add = (name: string, reader: ByteReader | undefined, failure?: () => unknown): void => {
    if (reader !== undefined) pipes.set(name, new PulledPipe(reader, { failure, givesBuffers }))
  }
  add("stdout", stdout)
  add("stderr", stderr)
  for (const [fd, { failure, reader }] of extra ?? []) add(`fd${fd}`, reader, failure)
  return pipes
}

/** A started process, with its output pipes by name (`"stdout"`, `"stderr"`, `"fd3"`). */
export class ScopedProcess {
  readonly process: HostProcess
  readonly tree: ChildTree
  readonly pipes: ReadonlyMap<string, PulledPipe>
  #isReferenced = true

  constructor(host: Host, process: HostProcess, tree: ChildTree) {
    this.process = process
    this.tree = tree
    this.pipes = pipesOf(process, host)
  }

  /** Lets the process write a little more than is read. */
  makeRoom(): void {
    for (const pipe of this.pipes.values()) pipe.makeRoom(roomBytes)
  }

  /** Sets whether this program waits for the process and ends it with the scope. */
  setReferenced(isReferenced: boolean): void {
    if (this.#isReferenced === isReferenced) return
    this.#isReferenced = isReferenced
    this.process.setRef(isReferenced)
    this.process.job?.endWithProgram(isReferenced)
  }

  close(options: KillOptions): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { process, pipes, tree } = this
      const runs = tree.status === undefined
      const letGo = Effect.sync(() => process.job?.release())
      if (runs && !this.#isReferenced) return letGo
      for (const pipe of pipes.values()) pipe.discard()
      const ended = runs || this.#isReferenced || tree.hasFailed ? Effect.ignore(tree.end(options)) : Effect.void
      const closed = Effect.ensuring(
        ended,
        Effect.sync(() => {
          for (const pipe of pipes.values()) pipe.abandon()
          void process.stdin?.end()
        }),
      )
      return Effect.ensuring(closed, letGo)
    })
  }
}

export const acquireProcess = (
  context: SpawnerContext,
  subject: ProcessDescription,
): Effect.Effect<ScopedProcess, PlatformError.PlatformError, Scope.Scope> => {
  const { host, platform, terminator } = context
  const { options } = subject.command
  const started = Effect.gen(function* () {
    const marker = newMarker()
    const request = yield* Effect.fromResult(planProcess(subject.command, { ...context, marker }))
    const process = yield* Effect.mapError(
      startProcess(host, request),
      (error) => spawnFailed(subject, request.argv0 ?? request.file, error),
    )
    const ownsGroup = request.detached && platform === "posix"
    const killSignal = options.killSignal ?? "SIGTERM"
    return new ScopedProcess(host, process, new ChildTree({ host, terminator, process, marker, ownsGroup, killSignal }))
  })
  return Effect.acquireRelease(started, (scoped) => scoped.close(options))
}
