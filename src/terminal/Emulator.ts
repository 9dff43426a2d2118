/** Emulates the screen of a session with npm `@xterm/headless`: text, cursor, modes, and the answers to queries. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../base/waits.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"
import type { TerminalScreen } from "./TerminalEvent.ts"

interface BufferLine {
  readonly translateToString: (trimRight: boolean) => string
}

interface Buffer {
  readonly type: "normal" | "alternate"
  readonly cursorX: number
  readonly cursorY: number
  readonly baseY: number
  readonly getLine: (y: number) => BufferLine | undefined
}

interface Xterm extends TerminalSize {
  readonly write: (text: string, done: () => void) => void
  readonly resize: (cols: number, rows: number) => void
  readonly dispose: () => void
  readonly loadAddon: (addon: object) => void
  readonly buffer: { readonly active: Buffer; readonly normal: Buffer }
  readonly modes: { readonly applicationCursorKeysMode: boolean; readonly bracketedPasteMode: boolean }
  readonly parser: {
    readonly registerCsiHandler: (
      id: { readonly prefix: string; readonly final: string },
      handle: (params: ReadonlyArray<number | ReadonlyArray<number>>) => boolean,
    ) => unknown
  }
  readonly onData: (listener: (text: string) => void) => unknown
  readonly onTitleChange: (listener: (title: string) => void) => unknown
}

interface Serializer {
  readonly serialize: (options: { readonly scrollback: number }) => string
}

interface Packages {
  readonly Terminal: Function
  readonly SerializeAddon: Function
}

/** A class of a CommonJS package, whose exports are on some runtimes only in `default`. */
const classOf = (module: object, name: string): Function | undefined => {
  const inner: unknown = Reflect.get(module, "default")
  const found: unknown = Reflect.get(module, name) ??
    (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined)
  return typeof found === "function" ? found : undefined
}

const load = (name: string, read: () => Promise<Function | undefined>): Effect.Effect<Function, TerminalError> =>
  Effect.filterOrFail(
    Effect.promise(() => read().catch(() => undefined)),
    (found) => found !== undefined,
    () =>
      terminalError(
        { _tag: "Unavailable", package: name },
        `the package ${name}, which emulates the screen, is not installed: npm install @xterm/headless @xterm/addon-serialize`,
      ),
  )

const loadPackages: Effect.Effect<Packages, TerminalError> = Effect.all({
  Terminal: load("@xterm/headless", async () => classOf(await import("@xterm/headless"), "Terminal")),
  SerializeAddon: load(
    "@xterm/addon-serialize",
    async () => classOf(await import("@xterm/addon-serialize"), "SerializeAddon"),
  ),
})

/** Control characters in a title, which would act on the terminal of its reader. */
const withoutControls = (text: string): string => text.replace(/\p{Cc}/gu, "")

/** DEC private mode of the cursor's visibility (DECTCEM). */
const cursorMode = 25

/** The emulated screen. */
export class Emulator {
  readonly #xterm: Xterm
  readonly #serializer: Serializer
  #title = ""
  #cursorVisible = true

  constructor(
    { SerializeAddon, Terminal }: Packages,
    size: TerminalSize,
    scrollback: number,
    answer: (text: string) => void,
  ) {
    const { cols, rows } = size
    const xterm: Xterm = Reflect.construct(Terminal, [{ cols, rows, scrollback, allowProposedApi: true }])
    const serializer: Serializer & object = Reflect.construct(SerializeAddon, [])
    xterm.loadAddon(serializer)
    xterm.onTitleChange((title) => this.#title = withoutControls(title))
    // Programs ask a terminal for its kind and its cursor, and wait for the answer.
    xterm.onData(answer)
    for (const final of ["h", "l"]) {
      xterm.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(cursorMode)) this.#cursorVisible = final === "h"
        return false
      })
    }
    this.#xterm = xterm
    this.#serializer = serializer
  }

  /** Shows output; succeeds when it is on the screen. */
  write(text: string): Effect.Effect<void> {
    return callbackLater((resume) => this.#xterm.write(text, () => resume(Effect.void)))
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#xterm.resize(cols, rows)
  }

  get size(): TerminalSize {
    return { cols: this.#xterm.cols, rows: this.#xterm.rows }
  }

  get title(): string {
    return this.#title
  }

  /** Whether the program asked for the other sequences of the cursor keys (DECCKM). */
  get applicationCursor(): boolean {
    return this.#xterm.modes.applicationCursorKeysMode
  }

  get bracketedPaste(): boolean {
    return this.#xterm.modes.bracketedPasteMode
  }

  /** The visible screen. `seq`: number of the last chunk shown. */
  screen(seq: number): TerminalScreen {
    const { cols, rows } = this.#xterm
    const { baseY, cursorX, cursorY, type } = this.#xterm.buffer.active
    const lines = this.#lines(this.#xterm.buffer.active, baseY, baseY + rows)
    return {
      text: lines.join("\n").replace(/\n+$/, ""),
      lines,
      cols,
      rows,
      cursor: { row: cursorY, column: Math.min(cursorX, cols - 1), visible: this.#cursorVisible },
      title: this.#title,
      alternate: type === "alternate",
      scrollback: this.#xterm.buffer.normal.baseY,
      seq,
    }
  }

  /** The lines above the screen, oldest first. */
  history(): ReadonlyArray<string> {
    const { normal } = this.#xterm.buffer
    return this.#lines(normal, 0, normal.baseY)
  }

  /** The screen with its modes as text that repaints it. */
  serialize(scrollback: number): string {
    return this.#serializer.serialize({ scrollback })
  }

  dispose(): void {
    this.#xterm.dispose()
  }

  #lines(buffer: Buffer, from: number, to: number): ReadonlyArray<string> {
    const lines: Array<string> = []
    for (let y = from; y < to; y++) lines.push(withoutControls(buffer.getLine(y)?.translateToString(true) ?? ""))
    return lines
  }
}

/** Makes an emulator. `answer` gets the replies to queries of the program. Fails without the packages. */
export const makeEmulator = (
  size: TerminalSize,
  scrollback: number,
  answer: (text: string) => void,
): Effect.Effect<Emulator, TerminalError> =>
  Effect.map(loadPackages, (packages) => new Emulator(packages, size, scrollback, answer))
