/** Opens, reads and writes the files that a `sed` script names. */
import { binaryToBytes } from "../../binaryString.ts"
import type { Input } from "../shared/Input.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { Script } from "./Script.ts"

/** The files of one script. Those that it writes are created before the first line. */
export class ScriptFiles {
  readonly #io: UtilityIo
  readonly #outputs = new Map<string, number>()
  /** The outputs whose last line has no newline yet, as the input ended without one. */
  readonly #unterminated = new Set<string>()
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

  get #terminator(): string {
    return String.fromCharCode(this.#io.terminator())
  }

  #exists(path: string): boolean {
    return typeof this.#io.system.stat(path) !== "number"
  }

  /**
   * Writes a line to a file; `terminator` is empty for a line without one, which gets it before the next line. Returns the text
   * that is to be written instead if the file is standard output.
   */
  async write(path: string, line: string, terminator: string): Promise<string | undefined> {
    const text = (this.#unterminated.delete(path) ? this.#terminator : "") + line + terminator
    if (terminator === "") this.#unterminated.add(path)
    const fd = this.#outputs.get(path) ?? 1
    if (fd === 1) return text
    const written = await this.#io.system.writeAll(fd, binaryToBytes(text))
    if (written < 0) this.#io.fail(`couldn't write to ${path}`, written)
    return undefined
  }

  /** Starts the files of `R` again. */
  rewind(): void {
    for (const input of this.#inputs.values()) input?.close()
    this.#inputs.clear()
  }

  /** The next line of a file with its newline if it has one, for `R`; `undefined` at its end or if it does not exist. */
  async nextLine(path: string): Promise<string | undefined> {
    if (!this.#inputs.has(path)) {
      this.#inputs.set(path, this.#exists(path) ? this.#io.openInput(path, this.#io.terminator()) : undefined)
    }
    const input = this.#inputs.get(path)
    const line = await input?.line()
    return line === undefined || input?.terminated === false ? line : line + this.#terminator
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
