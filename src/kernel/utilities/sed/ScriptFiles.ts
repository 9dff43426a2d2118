/** Opens, reads and writes the files that a `sed` script names. */
import { binaryToBytes } from "../../binaryString.ts"
import type { Input } from "../shared/Input.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { Script } from "./Script.ts"

/** The files of one script. Those that it writes are created before the first line. */
export class ScriptFiles {
  readonly #io: UtilityIo
  readonly #outputs = new Map<string, number>()
  readonly #inputs = new Map<string, Input | undefined>()

  constructor(io: UtilityIo, script: Script) {
    this.#io = io
    for (const { action } of script.commands) {
      const path = action._tag === "File" && /[wW]/.test(action.letter)
        ? action.path
        : action._tag === "Substitute"
        ? action.file
        : undefined
      if (path === undefined || this.#outputs.has(path)) continue
      this.#outputs.set(path, path === "/dev/stdout" ? 1 : path === "/dev/stderr" ? 2 : this.#create(path))
    }
  }

  #create(path: string): number {
    const fd = this.#io.system.open(path, { create: true, truncate: true, write: true })
    return fd < 0 ? this.#io.fail(`couldn't open file ${path}`, fd) : fd
  }

  #exists(path: string): boolean {
    return typeof this.#io.system.stat(path) !== "number"
  }

  /** Writes to a file. Returns `true` without writing if it is standard output. */
  async write(path: string, text: string): Promise<boolean> {
    const fd = this.#outputs.get(path) ?? 1
    if (fd === 1) return true
    const written = await this.#io.system.writeAll(fd, binaryToBytes(text))
    if (written < 0) this.#io.fail(`couldn't write to ${path}`, written)
    return false
  }

  /** The next line of a file, for `R`; `undefined` at its end or if it does not exist. */
  async nextLine(path: string): Promise<string | undefined> {
    if (!this.#inputs.has(path)) {
      this.#inputs.set(path, this.#exists(path) ? this.#io.openInput(path) : undefined)
    }
    return await this.#inputs.get(path)?.line()
  }

  /** Calls `visit` with each line of a file, for `r`; the last one may lack its newline. */
  async forEachLine(path: string, visit: (text: string, terminated: boolean) => Promise<void> | void): Promise<void> {
    if (path !== "/dev/stdin" && !this.#exists(path)) return
    const input = this.#io.openInput(path === "/dev/stdin" ? "-" : path)
    if (input === undefined) return
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      await visit(input.terminated ? `${line}\n` : line, input.terminated)
    }
    input.close()
  }
}
