/** Lists the commands of the server, then follows their changes over an event stream. */
import { type Command, decodeCommand, parseJson } from "./decodeCommand.ts"
import {
  abortableDelay,
  type CommandPage,
  eventsPath,
  followEvents,
  isPermanentError,
  listCommands,
  type ListQuery,
  retryDelayMillis,
} from "./apiClient.ts"

/** Maximum number of open commands to request at once. */
const maxOpen = 500

export type ConnectionState = "connecting" | "live" | "lost"

export interface FeedListener {
  /** Gets the list; `open` holds all waiting and running commands, regardless of the search. */
  readonly onList: (found: CommandPage, open: ReadonlyArray<Command>) => void
  readonly onChanges: (commands: ReadonlyArray<Command>) => void
  readonly onConnection: (link: ConnectionState) => void
  /** The feed has ended: the server refuses requests. */
  readonly onFailure: (error: unknown) => void
}

export class CommandFeed {
  readonly #listener: FeedListener
  #current = new AbortController()
  #changed = new Map<string, Command>()
  #frame = 0

  constructor(listener: FeedListener) {
    this.#listener = listener
  }

  begin(query: ListQuery): void {
    this.end()
    this.#current = new AbortController()
    void this.#run(query, this.#current.signal)
  }

  end(): void {
    this.#current.abort()
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
    this.#changed.clear()
  }

  async #run(query: ListQuery, signal: AbortSignal): Promise<void> {
    const { onFailure, onConnection, onList } = this.#listener
    onConnection("connecting")
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        const found = await listCommands(query)
        const open = await listCommands({ state: "open", command: "", maxCommands: maxOpen })
        if (signal.aborted) return
        onList(found, open.commands)
        const take = ({ data }: { readonly data: string }): void => this.#take(decodeCommand(parseJson(data)), signal)
        await followEvents(eventsPath(), found.head, take, (link) => {
          if (!signal.aborted) onConnection(link === "open" ? "live" : "lost")
        }, signal)
      } catch (error) {
        if (signal.aborted) return
        if (isPermanentError(error)) return onFailure(error)
        onConnection("lost")
      }
      await abortableDelay(retryDelayMillis(tries), signal)
    }
  }

  #take(command: Command | undefined, signal: AbortSignal): void {
    if (command === undefined || signal.aborted) return
    this.#changed.set(command.commandId, command)
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#notify())
  }

  #notify(): void {
    this.#frame = 0
    const changed = [...this.#changed.values()]
    this.#changed.clear()
    this.#listener.onChanges(changed)
  }
}
