/** Starts a container's file servers: one at first, more while many files are open. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { onAbort } from "../../base/abort.ts"
import { runPromise } from "../../base/stderrLogs.ts"
import { BackendError } from "../files/FileBackend.ts"
import type { HostProcess } from "../../host/Host.ts"
import { FileServer } from "./FileServer.ts"

/** Number of servers; each has five files open. */
const maxServers = 64

export interface TakenSlot {
  readonly server: FileServer
  readonly slot: number
}

/** Starts servers, and explains a failed start. */
export interface FileServerSource {
  readonly start: (closing: AbortSignal) => Promise<HostProcess>
  /** Whether a client ended before its first reply because of a container that will be made again. */
  readonly wasLost: () => Promise<boolean>
  /** The error of a client that cannot be started. */
  readonly explainError: (error: unknown) => Effect.Effect<BackendError>
  /** The error of a client that ended before its first reply. */
  readonly explainEnd: (exitCode: number, text: string) => Effect.Effect<BackendError>
}

export class FileServers {
  readonly #source: FileServerSource
  #servers: Array<FileServer> = []
  #first: Promise<FileServer | BackendError> | undefined
  readonly #closing = new AbortController()

  constructor(source: FileServerSource) {
    this.#source = source
  }

  async #start(isRetry = false): Promise<FileServer | BackendError> {
    try {
      const server = new FileServer(await this.#source.start(this.#closing.signal))
      // The first reply shows that the container runs, and has a shell.
      const first = runPromise(Effect.result(server.call({ name: "root", words: ["/"] })))
      // A paused container sends no reply.
      const forget = onAbort(this.#closing.signal, () => void server.close())
      const reply = await first
      forget()
      if (reply._tag === "Success") {
        if (this.#closing.signal.aborted) await server.close()
        else this.#servers.push(server)
        return server
      }
      await server.close()
      const { exitCode, text } = await server.ended
      if (!isRetry && await this.#source.wasLost()) return await this.#start(true)
      return await runPromise(this.#source.explainEnd(exitCode, text))
    } catch (error) {
      return await runPromise(this.#source.explainError(error))
    }
  }

  /** A server for calls that need no descriptor; replaced when it has ended. */
  readonly server: Effect.Effect<FileServer, BackendError> = Effect.suspend(() => {
    this.#servers = this.#servers.filter((server) => !server.hasEnded)
    const [server] = this.#servers
    if (server !== undefined) return Effect.succeed(server)
    const first = this.#first ??= this.#start().finally(() => this.#first = undefined)
    return fromStart(first)
  })

  /** Takes a descriptor until the scope closes; `EMFILE` when there are too many. */
  readonly slot: Effect.Effect<TakenSlot, BackendError, Scope.Scope> = Effect.gen({ self: this }, function* () {
    yield* this.server
    for (;;) {
      // Starting a server can be interrupted: pulling an image may take minutes.
      const taken = yield* this.#freeSlot
      if (taken !== undefined) return taken
      if (this.#servers.length >= maxServers) return yield* Effect.fail(new BackendError("EMFILE"))
      yield* fromStart(this.#start())
    }
  })

  readonly #freeSlot: Effect.Effect<TakenSlot | undefined, never, Scope.Scope> = Effect.acquireRelease(
    Effect.sync(() => {
      for (const server of this.#servers) {
        const slot = server.takeSlot()
        if (slot !== undefined) return { server, slot }
      }
      return undefined
    }),
    (taken) => Effect.sync(() => taken?.server.giveSlot(taken.slot)),
  )

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#first
    await Promise.all(this.#servers.map((server) => server.close()))
  }
}

const fromStart = (starting: Promise<FileServer | BackendError>): Effect.Effect<FileServer, BackendError> =>
  Effect.flatMap(
    Effect.promise(() => starting),
    (started) => started instanceof BackendError ? Effect.fail(started) : Effect.succeed(started),
  )
