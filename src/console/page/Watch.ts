/**
 * Lists what there is, then follows what comes.
 *
 * @module
 */
import { type Command, commandOf, parse } from "./json.ts"
import { type Commands, eventsPath, follow, isFinal, list, pause, pauseMillis, type Wanted } from "./server.ts"

/** Commands that are under way and asked for at once. */
const mostOpen = 500

/** How the connection to the server is. */
export type Link = "connecting" | "live" | "lost"

/** Who is told. */
export interface Watcher {
  /** What there is; `open` is what is under way, whatever is searched for. */
  readonly onList: (found: Commands, open: ReadonlyArray<Command>) => void
  /** What became of commands, gathered from one picture of the page to the next. */
  readonly onChanges: (commands: ReadonlyArray<Command>) => void
  readonly onLink: (link: Link) => void
  /** It is over: the server refuses. */
  readonly onFailure: (error: unknown) => void
}

/** Lists and follows, one search at a time. */
export class Watch {
  readonly #watcher: Watcher
  #current = new AbortController()
  #changed = new Map<string, Command>()
  #frame = 0

  constructor(watcher: Watcher) {
    this.#watcher = watcher
  }

  /** Begins anew with another search. */
  begin(wanted: Wanted): void {
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

  async #run(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { onFailure, onLink, onList } = this.#watcher
    onLink("connecting")
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        const found = await list(wanted)
        const open = await list({ state: "open", command: "", limit: mostOpen })
        if (signal.aborted) return
        onList(found, open.commands)
        const take = ({ data }: { readonly data: string }): void => this.#take(commandOf(parse(data)), signal)
        await follow(eventsPath(), found.head, take, (link) => {
          if (!signal.aborted) onLink(link === "open" ? "live" : "lost")
        }, signal)
      } catch (error) {
        if (signal.aborted) return
        if (isFinal(error)) return onFailure(error)
        onLink("lost")
      }
      await pause(pauseMillis(tries), signal)
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
