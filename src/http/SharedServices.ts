/**
 * What the routes share with what is mounted beside them: one shell, one journal, one set of tokens and limits.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { Journal } from "../journal/JournalService.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import { redactExec } from "../compute/redaction.ts"
import { Shell } from "../shell/Shell.ts"
import type { LeafRunOptions, ShellService } from "../shell/ShellService.ts"
import type { ConcurrencyLimit } from "../auth/ConcurrencyLimit.ts"
import type { Authenticator } from "../auth/Authenticator.ts"
import { RunningCommand } from "./RunningCommand.ts"
import type { RunSupervisor, Services } from "./RunSupervisor.ts"

/** What the routes share. */
export interface SharedServices {
  /**
   * Their shell and their journal. A command that is run on this shell is one of theirs: it is listed, takes a place, is
   * ended by `DELETE /commands/:id`, waited for while they drain, and ended when they are disposed of. Building it builds
   * the services of the routes, which release them.
   */
  readonly layer: Layer.Layer<Shell | Journal, unknown>
  /** Their tokens: what one of them may do in a time, or at once, it may do here and there together. */
  readonly authenticator: Authenticator
  /** Counts a request among theirs. */
  readonly countRequest: (method: string, route: string, status: number) => void
}

/** What {@link sharedLayer} takes besides the runs. */
export interface SharedServicesSettings {
  readonly concurrency: ConcurrencyLimit
  readonly redactor: Redactor.Redactor | undefined
}

const sharedShell = (
  runs: RunSupervisor,
  { recorded }: Services,
  { concurrency: places, redactor }: SharedServicesSettings,
): ShellService => {
  const joined = <A>(
    exec: ShellExec,
    options: LeafRunOptions | undefined,
    begin: (options: LeafRunOptions) => Stream.Stream<A, ShellFault>,
  ): Stream.Stream<A, ShellFault> => {
    const refused = (reason: FaultReason, why: string) =>
      Stream.fail(ShellFault.because(exec.commandId, reason, `exec: ${why}`))
    const run = Effect.gen(function* () {
      if (runs.isClosing()) return refused({ _tag: "Cancelled" }, "the server is going down, and runs no more commands")
      const place = places.tryAcquire()
      if (place === undefined) {
        const limit = { concurrencyLimit: places.max, queueLimit: 0 }
        return refused({ _tag: "Throttled", ...limit }, "as many commands as may be are under way")
      }
      const startedMillis = yield* Clock.currentTimeMillis
      const run = new RunningCommand({
        exec: redactExec(exec, redactor),
        startedMillis,
        annotations: {},
        onClose: place,
      })
      const leave = runs.join(run)
      const { kill, signal } = run.options(() => {})
      // By hand: a signal that lives as long as its server would keep every signal that was made of it.
      const cancel = (): void => run.cancel(false)
      const force = (): void => run.cancel(true)
      if (options?.signal?.aborted === true) cancel()
      if (options?.kill?.aborted === true) force()
      options?.signal?.addEventListener("abort", cancel)
      options?.kill?.addEventListener("abort", force)
      return begin({ ...options, signal, kill }).pipe(Stream.ensuring(Effect.sync(() => {
        options?.signal?.removeEventListener("abort", cancel)
        options?.kill?.removeEventListener("abort", force)
        leave()
      })))
    })
    return Stream.unwrap(run)
  }
  return {
    ...recorded,
    exec: (exec, options) => joined(exec, options, (joint) => recorded.exec(exec, joint)),
    bytes: (exec, options) => joined(exec, options, (joint) => recorded.bytes(exec, joint)),
  }
}

/** The layer of what the routes share; it fails as their services do. */
export const sharedLayer = (
  runs: RunSupervisor,
  settings: SharedServicesSettings,
): Layer.Layer<Shell | Journal, unknown> =>
  Layer.effectContext(Effect.map(
    Effect.tryPromise({ try: runs.services, catch: (error) => error }),
    (services) =>
      services.context.pipe(
        Context.add(Shell, sharedShell(runs, services, settings)),
        Context.add(Journal, services.journal),
      ),
  ))
