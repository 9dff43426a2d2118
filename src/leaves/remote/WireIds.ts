/**
 * The ids under which commands are known to a server.
 *
 * @module
 */
import { CommandId, maxCommandIdLength } from "../../command/CommandId.ts"

/** Ids of commands that are remembered; older ones make room. */
const most = 16_384

/**
 * A server runs an id once, so that a request may be sent again; a program runs a command as often as it likes. So the
 * first run has the command's own id, and each later one of this client a number behind it.
 */
export class WireIds {
  readonly #runs = new Map<CommandId, number>()

  /** The id of the next run of a command. */
  next(id: CommandId): CommandId {
    const run = (this.#runs.get(id) ?? 0) + 1
    this.#runs.delete(id)
    this.#runs.set(id, run)
    if (this.#runs.size > most) {
      for (const oldest of this.#runs.keys()) {
        this.#runs.delete(oldest)
        break
      }
    }
    const numbered = run === 1 ? id : `${id}.${run}`
    return numbered.length > maxCommandIdLength ? CommandId.make() : numbered
  }
}
