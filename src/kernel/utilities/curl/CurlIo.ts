/** Writes those messages of curl that `-s`, `-S` and `-v` allow. */
import type { System } from "../../System.ts"
import type { Output } from "../shared/Output.ts"
import type { CurlConfig } from "./CurlConfig.ts"

export class CurlIo {
  readonly system: System
  readonly #err: Output
  readonly #global: CurlConfig

  constructor(system: System, err: Output, global: CurlConfig) {
    this.system = system
    this.#err = err
    this.#global = global
  }

  get isVerbose(): boolean {
    return this.#global.has("verbose")
  }

  readonly warn = (message: string): void => {
    if (!this.#global.has("silent")) this.#err.putText(`Warning: ${message}\n`)
  }

  /** Writes a problem that is neither a warning nor the failure itself. */
  problem(message: string): void {
    if (!this.#global.has("silent")) this.#err.putText(`curl: ${message}\n`)
  }

  error(exitCode: number, message: string): void {
    if (!this.#global.has("silent") || this.#global.has("show-error")) {
      this.#err.putText(`curl: (${exitCode}) ${message}\n`)
    }
  }

  /** Writes lines of `-v`: `>` for those of the request, `<` for the response, `*` for others. */
  trace(mark: ">" | "<" | "*", lines: ReadonlyArray<string>): void {
    if (this.isVerbose) { for (const line of lines) this.#err.putText(`${mark} ${line}\n`) }
  }

  printError(text: string): void {
    this.#err.putText(text)
  }

  async flush(): Promise<void> {
    await this.#err.flush()
  }

  /** Milliseconds of the monotonic clock. */
  get millis(): number {
    return Number(this.system.monotonic()) / 1e6
  }
}
