/** Makes the layer of the shell and the journal that `shellRoutes` shares with other routes of its server. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { Journal } from "../journal/JournalService.ts"
import { onAbort } from "../base/abort.ts"
import { redactExec } from "../compute/redaction.ts"
import { Shell } from "../shell/Shell.ts"
import type { LeafRunOptions, ShellService } from "../shell/ShellService.ts"
import { RunningCommand } from "./RunningCommand.ts"
import type { Services } from "./RunSupervisor.ts"
import type { ShellServer } from "./ShellServer.ts"

const sharedShell = (
  { concurrency, redactor, runs }: ShellServer,
  { recorded }: Services,
): ShellService => {
  const track = <A>(
    exec: ShellExec,
    options: LeafRunOptions | undefined,
    begin: (options: LeafRunOptions) => Stream.Stream<A, ShellFault>,
  ): Stream.Stream<A, ShellFault> => {
    const refuse = (reason: FaultReason, why: string) =>
      Stream.fail(ShellFault.because(exec.commandId, reason, `exec: ${why}`))
    const run = Effect.gen(function* () {
      if (runs.isClosing()) {
        return refuse({ _tag: "Cancelled" }, "the server is shutting down and starts no more commands")
      }
      const release = concurrency.tryAcquire()
      if (release === undefined) {
        const limit = { maxConcurrency: concurrency.max, maxQueued: 0 }
        return refuse({ _tag: "Throttled", ...limit }, "too many concurrent commands")
      }
      const startedMillis = yield* Clock.currentTimeMillis
      const run = new RunningCommand({
        exec: redactExec(exec, redactor),
        startedMillis,
        annotations: {},
        onClose: release,
      })
      const leave = runs.join(run)
      const { kill, signal } = run.options()
      const removers = [
        onAbort(options?.signal, () => run.cancel(false)),
        onAbort(options?.kill, () => run.cancel(true)),
      ]
      return begin({ ...options, signal, kill }).pipe(Stream.ensuring(Effect.sync(() => {
        for (const remove of removers) remove()
        leave()
      })))
    })
    return Stream.unwrap(run)
  }
  return {
    ...recorded,
    exec: (exec, options) => track(exec, options, (trackedOptions) => recorded.exec(exec, trackedOptions)),
    bytes: (exec, options) => track(exec, options, (trackedOptions) => recorded.bytes(exec, trackedOptions)),
  }
}

/** The layer of the shell and the journal. It fails as the services of the routes do. */
export const sharedLayer = (
  server: ShellServer,
): Layer.Layer<Shell | Journal, unknown> =>
  Layer.effectContext(Effect.map(
    Effect.tryPromise({ try: server.runs.services, catch: (error) => error }),
    (services) =>
      services.context.pipe(
        Context.add(Shell, sharedShell(server, services)),
        Context.add(Journal, services.journal),
      ),
  ))
