/** Loads the content of files by functions of the host, until the sandbox and its forks are closed. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { errorMessage } from "../../base/errorMessage.ts"
import type { LoadContent } from "../fs/LazyContent.ts"
import { SandboxError } from "./SandboxError.ts"
import type { LazyFileContent, SandboxOptions } from "./SandboxOptions.ts"

export class ContentLoader {
  readonly #context: Context.Context<never>
  readonly #onError: (error: SandboxError) => void
  readonly #closed = new AbortController()
  #sandboxes = 0

  /** `context`: that of the Effects, and of the log. */
  constructor(context: Context.Context<never>, onError: SandboxOptions["onLoadError"]) {
    this.#context = context
    this.#onError = onError ??
      ((error) => void Effect.runForkWith(context)(Effect.logWarning(error.message)))
  }

  /** Counts one more sandbox with the files. */
  open(): void {
    this.#sandboxes++
  }

  /** Cancels loading when the last sandbox is closed. */
  close(): void {
    if (--this.#sandboxes === 0) this.#closed.abort()
  }

  load(content: LazyFileContent): LoadContent {
    return () => {
      const { signal } = this.#closed
      const given = content(signal)
      if (!Effect.isEffect(given)) return given
      return Effect.runPromiseExitWith(this.#context)(given, { signal }).then((exit) => {
        if (Exit.isSuccess(exit)) return exit.value
        throw Cause.squash(exit.cause)
      })
    }
  }

  /** Reports the failure of a load. */
  readonly failed = (path: string, cause: unknown): void => {
    if (this.#closed.signal.aborted) return
    const reason = { _tag: "FileFailed", operation: "load", path, code: "EIO" } as const
    const error = SandboxError.because(reason, `cannot load the content of ${path}: ${errorMessage(cause)}`, "EIO")
    try {
      this.#onError(error)
    } catch (thrown) {
      // The reader gets the errno regardless of the host's handling of the report.
      Effect.runForkWith(this.#context)(Effect.logWarning(`${error.message}; onLoadError failed`, thrown))
    }
  }
}
