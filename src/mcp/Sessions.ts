/** Tracks MCP sessions, binds each to its owner, and ends idle ones. */

/** Compared by identity. */
type Owner = object

interface McpSession {
  readonly owner: Owner
  active: number
  used: number
}

export interface SessionsOptions {
  readonly max: number
  readonly sessionIdleMillis: number
  readonly now: () => number
  /** Ends a session at Effect's server, which keeps sessions until they are ended. */
  readonly end: (id: string) => void
}

/** Sessions in the order of their last use, least recent first. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #sessions = new Map<string, McpSession>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#sessions.size
  }

  /**
   * Adds a session. Beyond the maximum an idle one is ended: of the owner with the most sessions, the one that was idle
   * longest, so that no owner crowds out the others. If none is idle, ends the new one and returns `false`.
   */
  begin(id: string, owner: Owner): boolean {
    this.#expire()
    if (this.#sessions.size >= this.#options.max) {
      const idle = this.#idleOfLargestOwner()
      if (idle === undefined) {
        this.#options.end(id)
        return false
      }
      this.#end(idle)
    }
    this.#sessions.set(id, { owner, active: 0, used: this.#options.now() })
    return true
  }

  /** Starts a request; returns the function that ends it, or `undefined` if the owner has no such session. */
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

  forget(id: string): void {
    this.#sessions.delete(id)
  }

  #idleOfLargestOwner(): string | undefined {
    const counts = new Map<Owner, number>()
    for (const { owner } of this.#sessions.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    let max = 0
    let found: string | undefined
    for (const [id, { active, owner }] of this.#sessions) {
      const count = counts.get(owner) ?? 0
      if (active > 0 || count <= max) continue
      max = count
      found = id
    }
    return found
  }

  #expire(): void {
    const before = this.#options.now() - this.#options.sessionIdleMillis
    for (const [id, { active, used }] of this.#sessions) if (active === 0 && used < before) this.#end(id)
  }

  #end(id: string): void {
    this.#sessions.delete(id)
    this.#options.end(id)
  }
}
