/**
 * Limits the number and the idle time of MCP sessions, and binds each session to its owner.
 *
 * @module
 */

/** Whose a session is: told from others by what it is. */
type Owner = object

interface Session {
  readonly owner: Owner
  /** Requests that are under way. */
  active: number
  used: number
}

/** Settings of {@link Sessions}. */
export interface SessionsOptions {
  readonly max: number
  readonly idleMillis: number
  /** Milliseconds. */
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

  /**
   * A session was begun. For one too many, one that is idle is ended: of the owner who has most of them the one that was
   * idle longest, so that nobody can crowd out the others. When none is idle, it is the new one, and the answer is
   * `false`.
   */
  begin(id: string, owner: Owner): boolean {
    this.#expire()
    if (this.#sessions.size >= this.#options.max) {
      const idle = this.#idleOfWhoHasMost()
      if (idle === undefined) {
        this.#options.end(id)
        return false
      }
      this.#end(idle)
    }
    this.#sessions.set(id, { owner, active: 0, used: this.#options.now() })
    return true
  }

  /** A request begins; answers what to call when it has ended, or `undefined` when the session is not the owner's. */
  use(id: string, owner: Owner): (() => void) | undefined {
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

  #idleOfWhoHasMost(): string | undefined {
    const counts = new Map<Owner, number>()
    for (const { owner } of this.#sessions.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    let most = 0
    let found: string | undefined
    for (const [id, { active, owner }] of this.#sessions) {
      const count = counts.get(owner) ?? 0
      if (active > 0 || count <= most) continue
      most = count
      found = id
    }
    return found
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
