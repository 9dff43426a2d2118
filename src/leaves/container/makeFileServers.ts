/** Makes the servers of files of a container, and explains why one cannot be started. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { BackendError } from "../files/FileBackend.ts"
import type { Host } from "../../host/Host.ts"
import { type EngineProblem, explainEngine, explainStart } from "./containerFaults.ts"
import type { ContainerTarget } from "./ContainerSettings.ts"
import { execArguments } from "./engineCommand.ts"
import { FileServers } from "./FileServers.ts"
import { fileServerScript } from "./fileServerScript.ts"
import { startClient } from "./runEngine.ts"
import { ContainerStartError, type SharedContainer } from "./SharedContainer.ts"

/** The problem is the engine's, not the path's. */
const errorOf = ({ what }: EngineProblem): BackendError => new BackendError("EENGINE", what)

/** Makes the servers. Closing the scope ends them. */
export const makeFileServers = (
  host: Host,
  target: ContainerTarget,
  shared: SharedContainer,
): Effect.Effect<FileServers, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { engine, user } = target
      const explainEnd = (exitCode: number, text: string): Effect.Effect<BackendError> =>
        Effect.map(explainStart(host, target, exitCode, text, shared.made), errorOf)
      return new FileServers({
        start: async (closing) => {
          const container = await shared.name(closing)
          const args = execArguments(engine, { container, user, words: ["sh", "-c", fileServerScript] })
          return await startClient(host, engine.program, args)
        },
        wasLost: () => shared.hasEnded(),
        explainError: (error) =>
          error instanceof ContainerStartError
            ? explainEnd(error.exitCode, error.message)
            : Effect.succeed(errorOf(explainEngine(engine, error))),
        explainEnd,
      })
    }),
    (servers) => Effect.promise(() => servers.close()),
  )
