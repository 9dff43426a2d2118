/** Keeps sessions ready for the next commands, hands them out one command at a time, and closes them. */
import type { ShSession } from "./ShSession.ts"

/** A pool of sessions. Sessions that run are not in it. */
export class SessionPool {
  readonly #start: () => Promise<ShSession>
  readonly #onKilled: (session: ShSession) => Promise<unknown>
  readonly #warm: number
  readonly #maxIdle: number
  readonly #idle: Array<ShSession> = []
  readonly #running = new Set<ShSession>()
  readonly #starting = new Set<Promise<void>>()
  readonly #ending = new Set<Promise<void>>()
  /** Session starts for a command; the command may have been given up since. */
  readonly #taking = new Set<Promise<void>>()
  #isClosed = false

  /**
   * `start` starts a session; `warm` is the number of sessions that are started in advance. `maxIdle`: number of sessions
   * that may wait for a further command; 0 for sessions that run one command. `onKilled` cleans up after a client that had
   * to be killed.
   */
  constructor(
    warm: number,
    maxIdle: number,
    start: () => Promise<ShSession>,
    onKilled: (session: ShSession) => Promise<unknown>,
  ) {
    this.#warm = warm
    this.#onKilled = onKilled
    this.#maxIdle = Math.max(warm, maxIdle)
    this.#start = start
  }

  /** Starts sessions until enough of them wait. A failure is left to the next command, which starts one of its own. */
  fill(): void {
    if (this.#isClosed) return
    // A session that runs now may wait afterwards.
    const running = this.#maxIdle > this.#warm ? this.#running.size : 0
    for (let missing = this.#warm - this.#idle.length - this.#starting.size - running; missing > 0; missing--) {
      const starting: Promise<void> = this.#start().then(
        (session) => this.#keep(session),
        () => {},
      ).finally(() => this.#starting.delete(starting))
      this.#starting.add(starting)
    }
  }

  #keep(session: ShSession): void {
    if (this.#isClosed) void this.#end(session)
    else this.#idle.push(session)
  }

  /** Takes an idle session, or starts one. Rejects with the runtime's error. */
  async take(isNew = false): Promise<ShSession> {
    while (!isNew) {
      const session = this.#idle.shift()
      if (session === undefined) break
      if (session.isReady) return this.#use(session)
      void this.#end(session)
    }
    return this.#use(await this.awaited(this.#start()))
  }

  /** Makes closing wait for the start of a session. */
  async awaited(start: Promise<ShSession>): Promise<ShSession> {
    const taking: Promise<void> = start.then(() => {}, () => {}).finally(() => this.#taking.delete(taking))
    this.#taking.add(taking)
    return await start
  }

  /** Takes charge of a session that was started for one run. */
  adopt(session: ShSession): void {
    if (this.#isClosed) void this.#end(session)
    else this.#running.add(session)
  }

  #use(session: ShSession): ShSession {
    this.adopt(session)
    this.fill()
    return session
  }

  /** Takes a session back when its run has ended. A session that can run no further command is closed. */
  give(session: ShSession): void {
    if (!this.#running.delete(session)) return
    if (session.isReady && !this.#isClosed && this.#idle.length < this.#maxIdle) this.#idle.push(session)
    else void this.#end(session)
    this.fill()
  }

  /** Kills the client of a session that does not answer; resolves when nothing of it is left. */
  async discard(session: ShSession): Promise<void> {
    this.#running.delete(session)
    session.abandon()
    await this.#end(session)
  }

  /** Ends the idle sessions: whatever stopped one of them may have stopped all. */
  dropIdle(): void {
    for (const session of this.#idle.splice(0)) void this.#end(session)
  }

  #end(session: ShSession): Promise<void> {
    const ending: Promise<void> = session.close()
      .then(() => session.wasKilled ? this.#onKilled(session) : undefined)
      .then(() => {}, () => {})
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    return ending
  }

  /** Closes all sessions; resolves when their clients have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const session of [...this.#idle.splice(0), ...this.#running]) void this.#end(session)
    while (this.#starting.size + this.#taking.size + this.#ending.size > 0) {
      await Promise.all([...this.#starting, ...this.#taking, ...this.#ending])
    }
  }
}
