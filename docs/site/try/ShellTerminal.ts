/** Connects the sandbox's shell to a terminal: prompts, runs what is typed, and shows its output as fast as it is read. */
import { FitAddon } from "@xterm/addon-fit"
import { Terminal } from "@xterm/xterm"
import { errorMessage } from "../../../src/base/errorMessage.ts"
import type { RunningScript } from "../../../src/kernel/sandbox/Script.ts"
import type { PromiseSandbox } from "../../../src/sandbox/PromiseSandbox.ts"
import { parse, walk } from "../../../src/shell-language/ShellLanguage.ts"
import { completeWord } from "./completeWord.ts"
import { LineEditor } from "./LineEditor.ts"

/** Lines that stay above the screen. */
const scrollback = 5_000
/** Characters that are typed ahead of a program that does not read them. */
const maxTypedAhead = 65_536

/** A script that runs. */
interface Run {
  readonly abort: AbortController
  running: RunningScript | undefined
  wasInterrupted: boolean
  /** The line that is being typed for its stdin. */
  typed: string
  /** Lines that were typed and not read; `undefined` at the end is the end of the input. */
  readonly lines: Array<string | undefined>
  wake: () => void
}

/** Whether more lines must follow: an open quote, a loop without its end, a here-document, a backslash at the end. */
const isIncomplete = (script: string): boolean => {
  const parsed = parse(script)
  if (parsed._tag === "Failure") return parsed.failure.incomplete
  let isOpen = /(^|[^\\])(\\\\)*\\$/.test(script)
  walk(parsed.success, (node) => {
    if (node._tag === "HereDocument") isOpen ||= !node.closed
  })
  return isOpen
}

/** A terminal with a shell. */
export class ShellTerminal {
  readonly #terminal = new Terminal({
    convertEol: true,
    cursorBlink: true,
    fontFamily: "ui-monospace, Menlo, Consolas, monospace",
    fontSize: 14,
    screenReaderMode: true,
    scrollback,
    theme: { background: "#0f1215", foreground: "#e7eaed", cyan: "#5cc4cf" },
  })
  readonly #sandbox: PromiseSandbox
  readonly #changed: () => void
  readonly #editor: LineEditor
  #run: Run | undefined
  /** Lines of a command that is not complete. */
  #script = ""
  #waiting = ""

  /** `changed` is called after each command. */
  constructor(
    element: HTMLElement,
    sandbox: PromiseSandbox,
    changed: () => void,
  ) {
    this.#sandbox = sandbox
    this.#changed = changed
    this.#editor = new LineEditor({
      write: (text) => this.#terminal.write(text),
      columns: () => this.#terminal.cols,
      submit: (line) => this.#submit(line),
      cancel: () => {
        this.#script = ""
        this.#prompt()
      },
      complete: (before) => completeWord(sandbox, before),
    })
    const fit = new FitAddon()
    this.#terminal.loadAddon(fit)
    this.#terminal.open(element)
    fit.fit()
    new ResizeObserver(() => {
      fit.fit()
      if (this.#run === undefined) this.#editor.redraw()
    }).observe(element)
    this.#terminal.onData((data) => this.#type(data))
    this.#terminal.writeln(
      "A shell that runs in this page, over files in its memory. Nothing is sent to a server.",
    )
    this.#terminal.writeln(
      "Try: seq 1000 | grep 7 | wc -l        jq .[].name people.json        awk -f sum.awk costs.csv\r\n",
    )
    this.#prompt()
    this.#terminal.focus()
  }

  #prompt(): void {
    const { cwd, env } = this.#sandbox
    const home = env["HOME"] ?? "/"
    this.#editor.open(
      this.#script !== ""
        ? "> "
        : `${cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd} $ `,
    )
    const typed = this.#waiting
    this.#waiting = ""
    if (typed !== "") this.#type(typed)
  }

  #type(data: string): void {
    let rest = data
    while (rest !== "") {
      if (this.#run === undefined) rest = this.#editor.type(rest)
      else return this.#typeAhead(this.#run, rest)
    }
  }

  /** Takes what is typed while a script runs: lines for its stdin, Ctrl-D, and Ctrl-C. */
  #typeAhead(run: Run, data: string): void {
    for (const key of data) {
      if (key === "\x03") this.#interrupt(run)
      else if (key === "\x04") run.lines.push(undefined)
      else if (key === "\r") {
        run.lines.push(`${run.typed}\n`)
        run.typed = ""
        this.#terminal.write("\r\n")
      } else if (key === "\x7f") {
        if (run.typed !== "") this.#terminal.write("\b \b")
        run.typed = Array.from(run.typed).slice(0, -1).join("")
      } else if (
        key >= " " && run.typed.length + run.lines.length < maxTypedAhead
      ) {
        run.typed += key
        this.#terminal.write(key)
      }
    }
    run.wake()
  }

  /** The first Ctrl-C is SIGINT; the second one kills what ignores it. */
  #interrupt(run: Run): void {
    this.#terminal.write("^C")
    if (run.wasInterrupted || run.running === undefined) run.abort.abort()
    else run.running.kill("SIGINT")
    run.wasInterrupted = true
  }

  #submit(line: string): void {
    const script = this.#script + line
    if (isIncomplete(script)) {
      this.#script = `${script}\n`
      return this.#prompt()
    }
    this.#script = ""
    this.#editor.remember(script)
    if (script.trim() === "") return this.#prompt()
    void this.#start(script)
  }

  async #start(script: string): Promise<void> {
    const run: Run = {
      abort: new AbortController(),
      running: undefined,
      wasInterrupted: false,
      typed: "",
      lines: [],
      wake: () => {},
    }
    this.#run = run
    try {
      const events = this.#sandbox.events(script, {
        input: this.#readLines(run),
        onStart: (running) => void (run.running = running),
        signal: run.abort.signal,
      })
      // The next piece is read when the terminal has shown this one: a fast writer waits.
      for await (const event of events) {
        if (event._tag === "ScriptText") await this.#write(event.text)
      }
    } catch (error) {
      if (!run.abort.signal.aborted) {
        await this.#write(`${errorMessage(error)}\n`)
      }
    }
    this.#run = undefined
    await this.#write("")
    if (this.#terminal.buffer.active.cursorX > 0) await this.#write("\n")
    this.#waiting = run.lines.filter((line) => line !== undefined).join("").replaceAll(
      "\n",
      "\r",
    ) + run.typed
    this.#changed()
    this.#prompt()
  }

  async *#readLines(run: Run): AsyncGenerator<string> {
    for (;;) {
      while (run.lines.length === 0) {
        await new Promise<void>((resolve) => void (run.wake = resolve))
      }
      const line = run.lines.shift()
      if (line === undefined) return
      yield line
    }
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve))
  }
}
