/** Keeps the terminals that each MCP session has opened, hides them from the others, and closes them with it. */
import { McpServerClient } from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { type SessionOptions, TerminalError, type TerminalSession, type TerminalsService } from "../terminal/mod.ts"
import { CurrentCaller } from "./McpCaller.ts"

/** Owner of a terminal: the id of a session over HTTP, or an object that lives as long as the session. */
type Owner = string | object

const maxTerminalsOfSession = 4

const stdio = {}

/** The owner of the current request: its session; a token in protocols without sessions; the one client over stdio. */
const currentOwner: Effect.Effect<Owner> = Effect.gen(function* () {
  const caller = yield* CurrentCaller
  if (caller !== undefined) return caller.session ?? caller.grant
  const client = yield* Effect.serviceOption(McpServerClient)
  return Option.isSome(client) ? client.value.initializePayload : stdio
})

interface OwnedTerminal {
  readonly owner: Owner
  readonly release: () => void
  /** Undefined while it is being opened. */
  session: TerminalSession | undefined
}

export class OwnedTerminals {
  readonly #terminals: TerminalsService
  readonly #owned = new Map<CommandId, OwnedTerminal>()

  constructor(terminals: TerminalsService) {
    this.#terminals = terminals
  }

  /** Opens a terminal for the current session. It counts toward the commands that the token may run at once. */
  open(exec: ShellExec, options: SessionOptions): Effect.Effect<TerminalSession, ShellFault | TerminalError> {
    return Effect.gen({ self: this }, function* () {
      const owner = yield* currentOwner
      const caller = yield* CurrentCaller
      if (this.#idsOf(owner).length >= maxTerminalsOfSession) yield* this.#forgetEnded(owner)
      const ids = this.#idsOf(owner)
      const acquire = (): (() => void) | undefined =>
        caller === undefined ? () => {} : caller.grant.concurrency.tryAcquire()
      const release = ids.length < maxTerminalsOfSession ? acquire() : undefined
      if (release === undefined) {
        return yield* Effect.fail(
          new TerminalError({
            reason: { _tag: "TooManySessions", maxSessions: maxTerminalsOfSession },
            message: ids.length === 0
              ? "terminal: too many concurrent commands for this token: try again when one has ended"
              : `terminal: too many open terminals (${ids.length}): close one with close_terminal: ${ids.join(", ")}`,
          }),
        )
      }
      const owned: OwnedTerminal = { owner, release, session: undefined }
      this.#owned.set(exec.commandId, owned)
      const opened = yield* Effect.onError(
        this.#terminals.open(exec, options),
        () => Effect.sync(() => this.#forget(exec.commandId)),
      )
      owned.session = opened
      // Its end may come without a call.
      yield* Effect.forkDetach(Effect.andThen(Effect.exit(opened.exit), Effect.sync(release)))
      return opened
    })
  }

  /** A terminal of the current session; terminals of other sessions are not found. */
  get(id: string): Effect.Effect<TerminalSession, TerminalError> {
    return Effect.flatMap(
      currentOwner,
      (owner) =>
        this.#owned.get(id)?.owner === owner ? this.#terminals.get(id) : Effect.fail(
          new TerminalError({
            reason: { _tag: "NotFound", id },
            message: `terminal: ${id.slice(0, 100)} is not open: open_terminal opens one, and answers its terminal_id`,
          }),
        ),
    )
  }

  close(id: string): Effect.Effect<void, TerminalError> {
    return Effect.andThen(this.get(id), this.#close(id))
  }

  /** Closes all terminals of a session over HTTP that has ended. */
  endSession(session: string): Effect.Effect<void> {
    return Effect.forEach(this.#idsOf(session), (id) => Effect.ignore(this.#close(id)), {
      concurrency: "unbounded",
      discard: true,
    })
  }

  #idsOf(owner: Owner): ReadonlyArray<CommandId> {
    return [...this.#owned].filter(([, owned]) => owned.owner === owner).map(([id]) => id)
  }

  /** Makes room: the last output of these terminals could have been read. */
  #forgetEnded(owner: Owner): Effect.Effect<void> {
    return Effect.forEach(this.#idsOf(owner), (id) =>
      Effect.gen({ self: this }, function* () {
        const session = this.#owned.get(id)?.session
        if (session !== undefined && (yield* session.info).ended) yield* Effect.ignore(this.#close(id))
      }), { discard: true })
  }

  #close(id: CommandId): Effect.Effect<void, TerminalError> {
    return Effect.ensuring(this.#terminals.close(id), Effect.sync(() => this.#forget(id)))
  }

  #forget(id: CommandId): void {
    this.#owned.get(id)?.release()
    this.#owned.delete(id)
  }
}
