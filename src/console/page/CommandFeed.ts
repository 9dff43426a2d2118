/**
 * Lists commands, then follows their changes over an event stream and reconnects.
 *
 * @module
 */
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

/** Commands that are under way and asked for at once. */
const maxOpen = 500

/** How the connection to the server is. */
export type ConnectionState = "connecting" | "live" | "lost"

/** Who is told. */
export interface FeedListener {
  /** What there is; `open` is what is under way, whatever is searched for. */
  readonly onList: (found: CommandPage, open: ReadonlyArray<Command>) => void
  /** What became of commands, gathered from one picture of the page to the next. */
  readonly onChanges: (commands: ReadonlyArray<Command>) => void
  readonly onLink: (link: ConnectionState) => void
  /** It is over: the server refuses. */
  readonly onFailure: (error: unknown) => void
}

/** Lists and follows, one search at a time. */
export class CommandFeed {
  readonly #watcher: FeedListener
  #current = new AbortController()
  #changed = new Map<string, Command>()
  #frame = 0

  constructor(watcher: FeedListener) {
    this.#watcher = watcher
  }

  /** Begins anew with another search. */
  begin(wanted: ListQuery): void {
    this.end()
    this.#current = new AbortController()
    void this.#run(wanted, this.#current.signal)
  }

  /** Ends it. */
  end(): void {
    this.#current.abort()
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
    this.#changed.clear()
  }

  async #run(wanted: ListQuery, signal: AbortSignal): Promise<void> {
    const { onFailure, onLink, onList } = this.#watcher
    onLink("connecting")
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        const found = await listCommands(wanted)
        const open = await listCommands({ state: "open", command: "", limit: maxOpen })
        if (signal.aborted) return
        onList(found, open.commands)
        const take = ({ data }: { readonly data: string }): void => this.#take(decodeCommand(parseJson(data)), signal)
        await followEvents(eventsPath(), found.head, take, (link) => {
          if (!signal.aborted) onLink(link === "open" ? "live" : "lost")
        }, signal)
      } catch (error) {
        if (signal.aborted) return
        if (isPermanentError(error)) return onFailure(error)
        onLink("lost")
      }
      await abortableDelay(retryDelayMillis(tries), signal)
    }
  }

  #take(command: Command | undefined, signal: AbortSignal): void {
    if (command === undefined || signal.aborted) return
    this.#changed.set(command.commandId, command)
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#tell())
  }

  #tell(): void {
    this.#frame = 0
    const changed = [...this.#changed.values()]
    this.#changed.clear()
    this.#watcher.onChanges(changed)
  }
}
