/** Numbers the runs of a command, so that each run has an id of its own on the server. */
import { CommandId } from "../../command/CommandId.ts"
import { maxCommandIdLength } from "../../command/plain/commandId.ts"

/** Maximum number of remembered ids; the least recently used one is forgotten first. */
const maxIds = 16_384

/**
 * Makes the ids of runs. A server runs an id once, so that a request can be sent again safely, while a program may run
 * a command several times. The first run therefore has the command's own id, and each later run of this client has a
 * number appended to it.
 */
export class RunIds {
  readonly #runs = new Map<CommandId, number>()

  next(id: CommandId): CommandId {
    const run = (this.#runs.get(id) ?? 0) + 1
    this.#runs.delete(id)
    this.#runs.set(id, run)
    if (this.#runs.size > maxIds) {
      const [oldest = id] = this.#runs.keys()
      this.#runs.delete(oldest)
    }
    const numbered = run === 1 ? id : `${id}.${run}`
    return numbered.length > maxCommandIdLength ? CommandId.make() : numbered
  }
}
