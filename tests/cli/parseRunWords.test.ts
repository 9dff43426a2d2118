import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CommandWords } from "../../src/cli/CommandSpec.ts"
import { readCommandLine } from "../../src/cli/program.ts"
import { insertSeparator, parseRunWords } from "../../src/cli/parseRunWords.ts"
import { runFlags } from "../../src/cli/runFlags.ts"
import { type Random, random } from "../support/random.ts"
import { fakeProcess } from "./support.ts"

const plain = ({ flags, operands: command }: CommandWords) => ({ command, flags: Object.fromEntries(flags) })

const quick = (...words: ReadonlyArray<string>) => {
  const read = parseRunWords(words)
  return read === undefined ? undefined : plain(read)
}

/** The same words as effect/cli reads them. */
const slow = (...words: ReadonlyArray<string>) =>
  Effect.map(
    readCommandLine(fakeProcess(["run", ...words])),
    (chosen) => typeof chosen === "object" && chosen.command === "run" ? plain(chosen.words) : undefined,
  )

it("takes everything after -- as the command, also words that look like flags of sluice", () => {
  expect(quick("--json", "--", "git", "log", "--json", "--", "-n", "1")).toEqual({
    flags: { json: ["true"] },
    command: ["git", "log", "--json", "--", "-n", "1"],
  })
})

it("starts the command at the first word that is not a flag", () => {
  expect(quick("git", "log", "--stat")).toEqual({ flags: {}, command: ["git", "log", "--stat"] })
  expect(quick("--timeout", "5s", "--merge", "true", "false")).toEqual({
    flags: { timeout: ["5s"], merge: ["true"] },
    command: ["true", "false"],
  })
})

it("reads values behind a space and behind =", () => {
  expect(quick("--env", "A=1", "--env=B=2", "--input", "-", "--window=lines:2", "--", "cat")).toEqual({
    flags: { env: ["A=1", "B=2"], input: ["-"], window: ["lines:2"] },
    command: ["cat"],
  })
})

it.each([
  ["help", ["--help"]],
  ["a short flag", ["-h", "--", "true"]],
  ["a flag that is not known", ["--jsn", "--", "true"]],
  ["a name of every object", ["--constructor", "--", "true"]],
  ["a missing value", ["--timeout", "--", "true"]],
  ["a value that may be a forgotten one", ["--cwd", "--json", "--", "true"]],
  ["a switch with a value", ["--json=false", "--", "true"]],
  ["a value given twice", ["--cwd", "a", "--cwd", "b", "--", "true"]],
  ["no command", ["--json", "--"]],
  ["nothing", []],
])("leaves unusual command lines to effect/cli: %s", (_, words) => {
  expect(parseRunWords(words)).toBe(undefined)
})

it.effect("agrees with effect/cli on a command without --", () =>
  Effect.gen(function* () {
    expect(insertSeparator(["--json", "git", "log", "--stat"], runFlags)).toEqual([
      "--json",
      "--",
      "git",
      "log",
      "--stat",
    ])
    expect(insertSeparator(["--json", "--", "git"], runFlags)).toEqual(["--json", "--", "git"])
    expect(insertSeparator(["--jsn", "git", "log"], runFlags)).toEqual(["--jsn", "git", "log"])
    expect(yield* slow("--json", "git", "log", "--stat")).toEqual(quick("--json", "git", "log", "--stat"))
    // A switch of effect/cli would swallow it.
    expect(yield* slow("--json", "true")).toEqual({ flags: { json: ["true"] }, command: ["true"] })
  }))

const names = Object.entries(runFlags)
const words = ["a", "b=c", "--json", "--", "-", "-x", "", "git log", "1s", "true", "--env=A=1", "é"]
const values = ["1s", "A=1", "lines:2", "-", "a b", "x=y=z", "", "true", "/tmp"]

const randomLine = ({ int, next, pick }: Random): ReadonlyArray<string> => {
  const line: Array<string> = []
  for (let left = int(0, 5); left > 0; left--) {
    const [name, { kind }] = pick(names)
    if (kind === "switch") line.push(`--${name}`)
    else if (next() < 0.5) line.push(`--${name}=${pick(values)}`)
    else line.push(`--${name}`, pick(values))
  }
  if (next() < 0.7) line.push("--")
  for (let left = int(0, 3); left > 0; left--) line.push(pick(words))
  return line
}

it.effect("parses every line that it accepts as effect/cli does, for any flags in any order", () =>
  Effect.gen(function* () {
    let agreed = 0
    for (let seed = 1; seed <= 500; seed++) {
      const line = randomLine(random(seed))
      const read = quick(...line)
      if (read === undefined) continue
      agreed++
      expect(yield* slow(...line), JSON.stringify(line)).toEqual(read)
    }
    expect(agreed).toBeGreaterThan(150)
  }))
