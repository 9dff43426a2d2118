/**
 * The sessions of a server over HTTP: bounded in number and age, and each known only to who began it. Effect's server
 * keeps sessions until they are ended; this is what ends them.
 *
 * @module
 */

interface Session {
  readonly owner: number
  /** Requests that are under way. */
  active: number
  used: number
}

/** Settings of {@link Sessions}. */
export interface SessionsOptions {
  readonly max: number
  readonly idleMillis: number
  /** Milliseconds, of a clock that does not step back. */
  readonly now: () => number
  /** Ends a session at the server. */
  readonly end: (id: string) => void
}

/** Sessions, the one that was used least recently first. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, Session>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** How many there are. */
  get size(): number {
    return this.#sessions.size
  }

  /** A session was begun; the one that was idle longest is ended when there are too many. */
  begin(id: string, owner: number): void {
    this.#sessions.set(id, { owner, active: 0, used: this.#options.now() })
    for (const [other, session] of this.#sessions) {
      if (this.#sessions.size <= this.#options.max) return
      if (session.active === 0 && other !== id) this.#end(other)
    }
  }

  /** A request begins; answers what to call when it has ended, or `undefined` when the session is not the owner's. */
  use(id: string, owner: number): (() => void) | undefined {
    this.#expire()
    const session = this.#sessions.get(id)
    if (session === undefined || session.owner !== owner) return undefined
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    session.active++
    let done = false
    return () => {
      if (done) return
      done = true
      session.active--
      session.used = this.#options.now()
    }
  }

  /** A session was ended by its client. */
  forget(id: string): void {
    this.#sessions.delete(id)
  }

  /** Whether one more can begin: not when so many are in use. */
  hasRoom(): boolean {
    this.#expire()
    if (this.#sessions.size < this.#options.max) return true
    return [...this.#sessions.values()].some(({ active }) => active === 0)
  }

  #expire(): void {
    const before = this.#options.now() - this.#options.idleMillis
    for (const [id, { active, used }] of this.#sessions) if (active === 0 && used < before) this.#end(id)
  }

  #end(id: string): void {
    this.#sessions.delete(id)
    this.#options.end(id)
  }
}
