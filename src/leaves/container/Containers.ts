/** Starts the sessions of a leaf, in containers of their own or in a shared one, runs helpers there, and removes them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { runPromise } from "../../base/stderrLogs.ts"
import type { Host } from "../../host/Host.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { Terminal } from "../../command/Terminal.ts"
import { terminalRequest } from "../../host/terminal/terminalRequest.ts"
import { newMarker } from "../../host/runMarker.ts"
import type { ContainerShellSettings } from "./ContainerSettings.ts"
import { EngineWatchdog } from "./EngineWatchdog.ts"
import { execArguments, removeArguments, runArguments, runningArguments } from "./engineCommand.ts"
import { ownerLabels } from "./owner.ts"
import { clientRequest, type EngineResult, runEngine, startClient } from "./runEngine.ts"
import { ShSession } from "./ShSession.ts"
import { SessionPool } from "./SessionPool.ts"
import { type SessionRequest, sessionScript, terminalWords } from "./sessionScript.ts"
import type { SharedContainer } from "./SharedContainer.ts"

/** Number of idle sessions in a shared container. */
const maxIdleSessions = 16

/** Time limits for the start of a helper program: in an idle session, and in a new one. */
const waitingMillis = 3_000
const newMillis = 15_000

/** Time that a helper program may take beyond its requested wait. */
const helperMillis = 30_000

const helperRequest = (words: ReadonlyArray<string>): SessionRequest => ({
  id: crypto.randomUUID(),
  words,
  directory: "/",
  variables: [],
  clear: false,
  stdin: false,
  once: false,
  mergeStreams: false,
  localBin: false,
  limits: {},
})

export class Containers {
  /** Marks this leaf's containers, and the processes of its commands. */
  readonly owner: string = newMarker()
  /** Whether each command has a container of its own. */
  readonly isOwn: boolean
  readonly pool: SessionPool
  readonly #host: Host
  readonly #settings: ContainerShellSettings
  readonly #shared: SharedContainer | undefined
  readonly #watchdog = new EngineWatchdog()
  readonly #closing = new AbortController()
  #watching: Promise<void> | undefined
  #count = 0
  #isClean = true

  /** `shared`: the container of all commands; without it each has one of its own. */
  constructor(host: Host, settings: ContainerShellSettings, shared: SharedContainer | undefined) {
    this.#host = host
    this.#settings = settings
    this.#shared = shared
    this.isOwn = shared === undefined
    this.pool = new SessionPool(
      settings.warm,
      this.isOwn ? 0 : maxIdleSessions,
      () => this.#startSession(),
      (session) =>
        // In a shared container the session was one client of several.
        this.isOwn ? runPromise(this.remove(session)) : Promise.resolve(),
    )
  }

  get isMade(): boolean {
    return this.#settings.existing === undefined
  }

  run(args: ReadonlyArray<string>): Effect.Effect<EngineResult> {
    return runEngine(this.#host, this.#settings.engine.program, args)
  }

  #nextName(): string {
    return `${this.owner.replace(".", "")}-${++this.#count}`
  }

  /** Starts a session for one command on a terminal. Rejects with a fault, or with the runtime's error. */
  async startTerminal(exec: ShellExec, terminal: Terminal): Promise<ShSession> {
    const session = await this.pool.awaited(this.#startTerminal(exec, terminal))
    this.pool.adopt(session)
    return session
  }

  async #startTerminal(exec: ShellExec, terminal: Terminal): Promise<ShSession> {
    const ready = crypto.randomUUID()
    const client = await this.#client(terminalWords(ready, terminal), true)
    const request = clientRequest(this.#settings.engine.program, client.args)
    const placed = Result.getOrThrow(terminalRequest(this.#host, exec, request, terminal))
    return new ShSession(await this.#host.spawn(placed), client.container, ready)
  }

  async #startSession(): Promise<ShSession> {
    const client = await this.#client(["sh", "-c", sessionScript], false)
    return new ShSession(await startClient(this.#host, this.#settings.engine.program, client.args), client.container)
  }

  async #client(
    words: ReadonlyArray<string>,
    tty: boolean,
  ): Promise<{ container: string; args: ReadonlyArray<string> }> {
    const { container, engine, existing, user } = this.#settings
    // A shared container that was made has a watchdog of its own.
    if (this.#shared === undefined || existing !== undefined) {
      await (this.#watching ??= this.#watchdog.start(this.#host, engine, this.owner, existing))
    }
    if (this.#shared === undefined) {
      if (container === undefined) throw new Error("there is no container to make")
      const name = this.#nextName()
      const labels = ownerLabels(this.#host, this.owner)
      return { container: name, args: runArguments(engine, container, { name, labels, tty, words }) }
    }
    const name = await this.#shared.name(this.#closing.signal)
    return { container: name, args: execArguments(engine, { container: name, user, tty, words }) }
  }

  /**
   * Runs a program in the container of a session, and succeeds with its exit code. In a shared container the program is
   * one more command; otherwise the engine starts it, which takes much longer. `patienceMillis`: how long the program
   * waits for others. Succeeds with -1 if nothing in the container answers.
   */
  runInside(session: ShSession, words: ReadonlyArray<string>, patienceMillis = 0): Effect.Effect<number> {
    if (this.isOwn) {
      const { engine, user } = this.#settings
      const args = execArguments(engine, { container: session.container, user, words })
      return Effect.map(this.run(args), ({ exitCode }) => exitCode)
    }
    return Effect.promise(async () =>
      await this.#runHelper(false, words, patienceMillis) ?? await this.#runHelper(true, words, patienceMillis) ?? -1
    )
  }

  /**
   * Runs a program in a session. Returns nothing if the session does not answer: a command may have stopped the idle
   * sessions.
   */
  async #runHelper(isNew: boolean, words: ReadonlyArray<string>, patienceMillis: number): Promise<number | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      const helper = await this.pool.take(isNew)
      const killAfter = (millis: number): void => {
        clearTimeout(timer)
        timer = setTimeout(() => helper.abandon(), millis)
      }
      killAfter(isNew ? newMillis : waitingMillis)
      const started = await helper.start(helperRequest(words))
      if (started._tag === "Started") killAfter(patienceMillis + helperMillis)
      const code = started._tag === "Started"
        ? await new Promise<number>((resolve) => helper.onEnd(({ exitCode }) => resolve(exitCode)))
        : 127
      if (started._tag === "Failed") this.pool.give(helper)
      else helper.drain(() => this.pool.give(helper))
      if (!helper.wasKilled) return code
      this.pool.give(helper)
      this.pool.dropIdle()
      return started._tag === "Started" ? -1 : undefined
    } catch {
      return -1
    } finally {
      clearTimeout(timer)
    }
  }

  /** Kills and removes the container of a session. Succeeds with whether it is gone. */
  remove(session: ShSession): Effect.Effect<boolean> {
    const { engine } = this.#settings
    return Effect.gen({ self: this }, function* () {
      const removed = yield* this.run(removeArguments(engine, session.container))
      // docker fails for a container that is gone.
      const isGone = removed.exitCode === 0 ||
        (yield* this.run(runningArguments(engine, session.container))).exitCode !== 0
      if (!isGone) this.#isClean = false
      return isGone
    })
  }

  isRunning(session: ShSession): Effect.Effect<boolean> {
    return Effect.map(
      this.run(runningArguments(this.#settings.engine, session.container)),
      ({ stdout }) => stdout.trim() === "true",
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.pool.close()
    await this.#watchdog.close(this.#isClean)
  }
}
