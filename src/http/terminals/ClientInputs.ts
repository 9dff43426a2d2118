/** Counts the input of each client of a terminal over all of its connections. */
export interface ClientInput {
  /** Number of bytes taken from the client, on all of its connections. */
  taken: number
  close: () => void
}

/** Maximum number of clients; beyond it the oldest is forgotten. */
const maxNames = 256

export class ClientInputs {
  readonly #clients = new Map<string, ClientInput>()

  /** Connects a client. Its previous connection is closed; the client sends input again that was not fed. */
  attach(name: string, close: () => void): ClientInput {
    const before = this.#clients.get(name)
    before?.close()
    const client = { taken: before?.taken ?? 0, close }
    // Deleted first, so that the newest client comes last.
    this.#clients.delete(name)
    this.#clients.set(name, client)
    for (const oldest of this.#clients.keys()) {
      if (this.#clients.size <= maxNames) break
      this.#clients.delete(oldest)
    }
    return client
  }
}
