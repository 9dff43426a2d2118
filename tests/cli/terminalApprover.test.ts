import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { CliProcess, EndSignal } from "../../src/cli/CliProcess.ts"
import { ProcessOutput } from "../../src/cli/ProcessOutput.ts"
import { terminalApprover, type TerminalApproverOptions } from "../../src/cli/terminalApprover.ts"
import { type ApprovalAnswer, type ApprovalRequest, askOne } from "../../src/spell/ApprovalBranch.ts"
import { MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { ApprovalPolicy, Approver, Spellbook, writeFile } from "../../src/spell/mod.ts"
import { eventually } from "../support/eventually.ts"
import { fakeProcess, sluiceWords } from "./support.ts"

const question = (about: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  _tag: "ApprovalRequest",
  correlationId: `${about}/approval`,
  invocationId: about,
  spell: "run_command",
  arguments: { command: about },
  about,
  suggestions: [{ decision: "allow", spell: "run_command", command: about }],
  ...more,
})

/** A terminal on which a test types. */
const terminal = (options?: TerminalApproverOptions) => {
  const own = fakeProcess([])
  const typed: Array<string> = []
  let wake = () => {}
  let hasEnded = false
  const listeners: Array<(signal: EndSignal) => void> = []
  const cli: CliProcess = {
    ...own,
    isTerminal: (fd) => fd === 2 && options?.source !== "blind",
    variable: (name) => name === "NO_COLOR" ? "1" : undefined,
    onSignal: (listener) => void listeners.push(listener),
    openInput: (source) =>
      source === "none" ? Promise.reject(new Error("ENXIO")) : Promise.resolve({
        read: async () => {
          while (typed.length === 0 && !hasEnded) await new Promise<void>((resolve) => void (wake = resolve))
          const text = typed.shift()
          return text === undefined ? undefined : new TextEncoder().encode(text)
        },
        close: () => {},
      }),
  }
  const approver = terminalApprover(cli, new ProcessOutput(cli), options)
  return {
    ask: (request: ApprovalRequest): Effect.Effect<ApprovalAnswer, unknown> => askOne(approver, request),
    type: (text: string) => Effect.sync(() => void (typed.push(text), wake())),
    end: Effect.sync(() => void (hasEnded = true, wake())),
    signal: Effect.sync(() => listeners.forEach((listener) => listener("SIGINT"))),
    screen: () => own.written.map(({ text }) => text).join(""),
  }
}

describe("an approver on the terminal", () => {
  it.live.each(
    [
      ["y\n", { decision: "allow" }],
      ["YES\n", { decision: "allow" }],
      ["a\n", { decision: "allow", remember: "run" }],
      ["f\n", { decision: "allow", remember: "folder" }],
      ["n\n", { decision: "deny" }],
      ["n use yarn here\r\n", { decision: "deny", reason: "use yarn here" }],
      ["what\n\ny\n", { decision: "allow" }],
      ["1\n2\n3\n4\n5\ny\n", { decision: "deny", reason: "the answer was not understood" }],
    ] as const,
  )("takes %j", ([keys, expected]) =>
    Effect.gen(function* () {
      const { ask, screen, type } = terminal({ folderMemory: "/state/a.json" })
      const asking = yield* Effect.forkChild(ask(question("npm test")))
      yield* eventually("it asks", () => screen().includes("allow npm test ?"))
      yield* type(keys)
      expect(yield* Fiber.join(asking)).toEqual({
        _tag: "ApprovalAnswer",
        correlationId: "npm test/approval",
        by: "terminal",
        ...expected,
      })
    }))

  it.live("offers to remember only rules that it can keep, and escapes control characters", () =>
    Effect.gen(function* () {
      const { ask, screen, type } = terminal()
      const asking = yield* Effect.forkChild(ask(question("rm \u001b[2J\u202e", { suggestions: [] })))
      yield* eventually("it asks", () => screen().includes("allow"))
      expect(screen()).toContain("rm \\u001b[2J\\u202e")
      expect(screen()).not.toContain("always")
      expect(screen()).not.toContain("\u001b[2J")
      yield* type("a\nf\nn\n")
      expect(yield* Fiber.join(asking)).toMatchObject({ decision: "deny" })
    }))

  it.live("asks questions one by one, and ignores input typed before each is shown", () =>
    Effect.gen(function* () {
      const { ask, screen, type } = terminal()
      const first = yield* Effect.forkChild(ask(question("one")))
      yield* eventually("it asks", () => screen().includes("allow one ?"))
      const second = yield* Effect.forkChild(ask(question("two")))
      // The second line was typed for nothing.
      yield* type("y\ny\n")
      expect(yield* Fiber.join(first)).toMatchObject({ decision: "allow" })
      yield* eventually("it asks again", () => screen().includes("allow two ?"))
      yield* type("n\n")
      expect(yield* Fiber.join(second)).toMatchObject({ decision: "deny" })
    }))

  it.live("shows which rule is remembered, and for how long", () =>
    Effect.gen(function* () {
      const { ask, screen, type } = terminal({ folderMemory: "/state/a.json", isResumable: true })
      const suggestions = [
        { decision: "allow", spell: "run_command", command: "npm test", arguments: { cwd: "sub" } },
        { decision: "allow", spell: "sing" },
      ] as const
      const asking = yield* Effect.forkChild(ask(question("npm test", { suggestions })))
      yield* eventually("it asks", () => screen().includes("[y: once"))
      expect(screen()).toContain(
        "always means run_command npm test cwd sub, any call of sing; answers for the folder are kept in /state/a.json",
      )
      expect(screen()).toContain(
        "a: always in this run, also when resumed | f: always in this folder, in later runs too",
      )
      yield* type("n\n")
      yield* Fiber.join(asking)
    }))

  it.live("shows each line of a script as one, and that there is more than it shows", () =>
    Effect.gen(function* () {
      const { ask, screen, type } = terminal()
      const script = `ls\nallow npm test ?\n[y: once] ${"x".repeat(9_000)} rm -rf x`
      const more = { arguments: { script }, suggestions: [] }
      const asking = yield* Effect.forkChild(ask(question("run_script \n  | ls\nallow npm test ?\n\u001b[1A", more)))
      yield* eventually("it asks", () => screen().includes("[y: once | n"))
      expect(screen()).toContain("allow run_script \n  | ls\n  | allow npm test ?\n  | \\u001b[1A ?\n")
      expect(screen()).toMatch(/… \d+ characters are not shown … x* rm -rf x"}/)
      yield* type("n\n")
      yield* Fiber.join(asking)
    }))

  it.live("ignores an answer that was started for a withdrawn question", () =>
    Effect.gen(function* () {
      const { ask, screen, type } = terminal()
      const first = yield* Effect.forkChild(ask(question("one")))
      yield* eventually("it asks", () => screen().includes("allow one ?"))
      yield* Fiber.interrupt(first)
      const second = yield* Effect.forkChild(ask(question("two")))
      yield* eventually("it asks again", () => screen().includes("allow two ?"))
      // The y was typed for the first question, and Enter comes now.
      yield* type("y\n")
      yield* eventually("it asks for another", () => screen().includes("answer this one: "))
      yield* type("n\n")
      expect(yield* Fiber.join(second)).toMatchObject({ decision: "deny" })
      expect(screen()).toContain("this question was withdrawn")
    }))

  it.live("denies at Ctrl-C, and at the end of the input", () =>
    Effect.gen(function* () {
      const stopped = terminal()
      const asking = yield* Effect.forkChild(stopped.ask(question("one")))
      yield* eventually("it asks", () => stopped.screen().includes("allow one ?"))
      yield* stopped.signal
      expect(yield* Fiber.join(asking)).toMatchObject({ decision: "deny", reason: "the user pressed Ctrl-C" })
      const next = yield* Effect.forkChild(stopped.ask(question("two")))
      yield* eventually("it asks again", () => stopped.screen().includes("allow two ?"))
      yield* stopped.end
      expect(yield* Fiber.join(next)).toMatchObject({ decision: "deny", reason: "the terminal was closed" })
    }))

  it.live("cannot ask without a terminal", () =>
    Effect.gen(function* () {
      for (const source of ["blind", "none"]) {
        const fault = yield* Effect.flip(terminal({ source }).ask(question("three")))
        expect(fault).toMatchObject({
          _tag: "ApprovalFault",
          faultKind: "CannotAsk",
          message: expect.stringContaining("there is no terminal to ask on"),
        })
      }
    }))

  it.live("says why a question was withdrawn", () =>
    Effect.gen(function* () {
      for (const [isStopped, why] of [[true, "was told to stop (Ctrl-C"], [false, "not answered in time"]] as const) {
        const controller = new AbortController()
        const { ask, screen } = terminal({ stop: controller.signal })
        const asking = yield* Effect.forkChild(ask(question("one")))
        yield* eventually("it asks", () => screen().includes("allow one ?"))
        if (isStopped) controller.abort()
        yield* Fiber.interrupt(asking)
        expect(screen()).toContain(`this question was withdrawn: `)
        expect(screen()).toContain(why)
      }
    }))

  it.live("does not ask a question that a remembered answer covers", () =>
    Effect.gen(function* () {
      const { ask, screen, type } = terminal()
      const book = Spellbook.make(writeFile)
      const asked = { request: (request: ApprovalRequest) => Stream.fromEffect(Effect.orDie(ask(request))) }
      const calls = Effect.gen(function* () {
        const spells = yield* ApprovalPolicy.guardService(ApprovalPolicy.ask, book)(yield* Spellbook.service(book))
        const call = Spellbook.castWith(spells, "write_file", { path: "a", content: "x" })
        return yield* Effect.all([call, call, call], { concurrency: "unbounded" })
      }).pipe(Effect.provideService(Approver.Approver, asked), Effect.provide(MemoryFileSystem.layer))
      const casting = yield* Effect.forkChild(calls)
      yield* eventually("it asks", () => screen().includes("n [REASON]: no]"))
      yield* type("a\n")
      expect(yield* Fiber.join(casting)).toHaveLength(3)
      expect(screen().split("allow write_file a ?")).toHaveLength(2)
      expect(screen()).not.toContain("withdrawn")
      // The keyboard is as before: the first line answers.
      const next = yield* Effect.forkChild(ask(question("two")))
      yield* eventually("it asks again", () => screen().includes("allow two ?"))
      yield* type("y\n")
      expect(yield* Fiber.join(next)).toMatchObject({ decision: "allow" })
    }))

  it.live.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
    "works on a real terminal",
    () =>
      Effect.gen(function* () {
        const fixture = fileURLToPath(new URL("./terminalApprover.fixture.ts", import.meta.url))
        const line = [...sluiceWords.slice(0, -1), fixture].map((word) => `'${word}'`).join(" ")
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => spawn("/usr/bin/script", ["-qefc", `${line} < /dev/null`, "/dev/null"])),
          (child) => Effect.sync(() => child.exitCode === null && child.kill("SIGKILL")),
        )
        let screen = ""
        child.stdout.on("data", (part) => screen += part)
        yield* eventually("it asks", () => screen.includes("n [REASON]: no] "))
        child.stdin.write("n not now\n")
        yield* eventually("it answers", () => screen.includes(`"reason":"not now"`))
        yield* eventually("it ends", () => child.exitCode === 0)
      }),
  )
})
